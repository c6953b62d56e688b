; target: gfx950
.file 0 "/comp" "root.c" source "int x;"
.file 1 "/comp/inc" "a.c"
.file 2 "/comp" "root.c"
.loc 1 10 3
s_nop 0
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 4
;>   000080bf
;> .debug_line type 1 flags 0x0 align 1 size 90
;>   56000000 05000800 39000000 040101fb
;>   0e0d0001 01010100 00000100 00010101
;>   1f020000 00000000 00000301 1f020f81
;>   401f0200 00000000 00000000 00000000
;>   01000000 00050300 09020000 00000000
;>   00000309 01020100 0101
;>   at 0x22: R_AMDGPU_ABS32 .debug_line_str +0
;>   at 0x26: R_AMDGPU_ABS32 .debug_line_str +6
;>   at 0x33: R_AMDGPU_ABS32 .debug_line_str +16
;>   at 0x38: R_AMDGPU_ABS32 .debug_line_str +23
;>   at 0x3c: R_AMDGPU_ABS32 .debug_line_str +30
;>   at 0x41: R_AMDGPU_ABS32 .debug_line_str +34
;>   at 0x4a: R_AMDGPU_ABS64 .text +0
;> .debug_line_str type 1 flags 0x30 align 1 size 35
;>   2f636f6d 70002f63 6f6d702f 696e6300
;>   726f6f74 2e630069 6e742078 3b00612e
;>   630000
