; target: gfx950
.cfi_startproc
.cfi_personality 0x9b, pers
.cfi_lsda 0x1b, lsda
.cfi_signal_frame
s_nop 0
.cfi_endproc
.cfi_startproc
.cfi_lsda 0x3, lsda2
.cfi_endproc
.cfi_startproc
s_nop 0
.cfi_endproc
.cfi_startproc
.cfi_personality 0, pers
.cfi_endproc
lsda2: .long 4
.cfi_startproc
.cfi_personality 255
.cfi_endproc
.section .foo,"ax"
x: .cfi_startproc
s_nop 1
.cfi_endproc
