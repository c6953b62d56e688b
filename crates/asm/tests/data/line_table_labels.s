; target: gfx942

.file 1 "a.c"
    .loc 1 1
    s_nop 0
    .loc_label second
    .loc 1 2
    s_nop 0
    .loc 1 3
    s_nop 1
    .loc_label third
    .loc_label fourth
.section .places
    .quad second
    .quad third, fourth
;> gfx942 V6
;> .text type 1 flags 0x6 align 4 size 12
;>   000080bf 000080bf 010080bf
;> .places type 1 flags 0x0 align 1 size 24
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000
;>   at 0x0: R_AMDGPU_ABS64 .debug_line +54
;>   at 0x8: R_AMDGPU_ABS64 .debug_line +72
;>   at 0x10: R_AMDGPU_ABS64 .debug_line +72
;> .debug_line type 1 flags 0x0 align 1 size 72
;>   44000000 04001b00 00000401 01fb0e0d
;>   00010101 01000000 01000001 00612e63
;>   00000000 00000902 00000000 00000000
;>   01020100 01010009 02000000 00000000
;>   00132102 01000101
;>   at 0x28: R_AMDGPU_ABS64 .text +0
;>   at 0x39: R_AMDGPU_ABS64 .text +4
;> second: .debug_line 0x36 size 0 Local NoType Default
;> third: .debug_line 0x48 size 0 Local NoType Default
;> fourth: .debug_line 0x48 size 0 Local NoType Default
