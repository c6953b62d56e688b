; target: gfx950
.data
.float nan, -nan, inf, -inf, infinity, NaN, INF
.double nan, -nan, inf, -inf
.float 0x1p3, 1e10, 1e-45, 1e-46, 3.4028235e38, 0x1.8p1, 1, -1
.double 0x1.fffffffffffffp1023, 5e-324, 1e-400
.float 1.1, -0.0, +3.0
.double 0.1, 16777217
.float 16777217.0, 1.00000017881393421514957253748434595763683319091796875001
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .data type 1 flags 0x3 align 1 size 152
;>   ffffff7f ffffffff 0000807f 000080ff
;>   0000807f ffffff7f 0000807f ffffffff
;>   ffffff7f ffffffff ffffffff 00000000
;>   0000f07f 00000000 0000f0ff 00000041
;>   f9021550 01000000 00000000 ffff7f7f
;>   00004040 0000803f 000080bf ffffffff
;>   ffffef7f 01000000 00000000 00000000
;>   00000000 cdcc8c3f 00000080 00004040
;>   9a999999 9999b93f 00000010 00007041
;>   0000804b 0100803f
