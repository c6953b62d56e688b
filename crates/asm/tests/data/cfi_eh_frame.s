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
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 12
;>   000080bf 000080bf 04000000
;> .foo type 1 flags 0x6 align 1 size 4
;>   010080bf
;> .eh_frame type 1 flags 0x2 align 8 size 224
;>   10000000 00000000 017a5200 04041001
;>   1b000000 10000000 18000000 00000000
;>   04000000 00000000 10000000 2c000000
;>   00000000 00000000 00000000 10000000
;>   40000000 00000000 04000000 00000000
;>   10000000 00000000 017a4c52 00040410
;>   02031b00 14000000 18000000 00000000
;>   00000000 04000000 00000000 18000000
;>   00000000 017a5052 00040410 0a000000
;>   00000000 00001b00 10000000 20000000
;>   00000000 00000000 00000000 18000000
;>   00000000 017a504c 52530004 0410079b
;>   00000000 1b1b0000 14000000 20000000
;>   00000000 04000000 04000000 00000000
;>   at 0x1c: R_AMDGPU_REL32 .text +4
;>   at 0x30: R_AMDGPU_REL32 .text +12
;>   at 0x44: R_AMDGPU_REL32 .foo +0
;>   at 0x6c: R_AMDGPU_REL32 .text +4
;>   at 0x75: R_AMDGPU_ABS32 .text +8
;>   at 0x8e: R_AMDGPU_ABS64 pers +0
;>   at 0xa0: R_AMDGPU_REL32 .text +8
;>   at 0xc0: R_AMDGPU_REL32 pers +0
;>   at 0xd0: R_AMDGPU_REL32 .text +0
;>   at 0xd9: R_AMDGPU_REL32 lsda +0
;> lsda2: .text 0x8 size 0 Local NoType Default
;> x: .foo 0x0 size 0 Local NoType Default
;> pers: undefined 0x0 size 0 Global NoType Default
;> lsda: undefined 0x0 size 0 Global NoType Default
