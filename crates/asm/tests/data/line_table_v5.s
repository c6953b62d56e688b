; target: gfx950
.file 0 "/comp" "root.c" md5 0x000102030405060708090a0b0c0d0e0f
.file 1 "a.c" md5 0x101112131415161718191a1b1c1d1e1f
.file 2 "dir" "b.h" md5 0x202122232425262728292a2b2c2d2e2f
.loc 1 10 3
s_nop 0
.loc 0 11
s_nop 0
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 8
;>   000080bf 000080bf
;> .debug_line type 1 flags 0x0 align 1 size 139
;>   87000000 05000800 65000000 040101fb
;>   0e0d0001 01010100 00000100 00010101
;>   1f020000 00000000 00000301 1f020f05
;>   1e030000 00000000 01020304 05060708
;>   090a0b0c 0d0e0f00 00000000 10111213
;>   14151617 18191a1b 1c1d1e1f 00000000
;>   01202122 23242526 2728292a 2b2c2d2e
;>   2f050300 09020000 00000000 00000309
;>   01040005 00210201 000101
;>   at 0x22: R_AMDGPU_ABS32 .debug_line_str +0
;>   at 0x26: R_AMDGPU_ABS32 .debug_line_str +6
;>   at 0x32: R_AMDGPU_ABS32 .debug_line_str +10
;>   at 0x47: R_AMDGPU_ABS32 .debug_line_str +17
;>   at 0x5c: R_AMDGPU_ABS32 .debug_line_str +21
;>   at 0x76: R_AMDGPU_ABS64 .text +0
;> .debug_line_str type 1 flags 0x30 align 1 size 25
;>   2f636f6d 70006469 7200726f 6f742e63
;>   00612e63 00622e68 00
