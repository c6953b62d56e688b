; target: gfx950
	.data
a:
	.long 1+2<<3, 1|2+4, 3==3, 3<4, 3&&4, !4, 1!2, 10%3, ~0, -(1), (2+3)*4
	.quad -8>>1, 0xffffffffffffffff, 1<<63
	.long b-a, .-a, (b-a)/4, b-a>4
	.set x, 5
	.long x
	.set x, x+1
	.long x
x = 9
	.long x, forward
	.set forward, 77
	.byte 'a', '\n', 0b101, 017, 5ULL
	.balign 4
b:
	.long max(1, 7, 3), or(1, 2, 4), alignto(5, 4), totalnumvgprs(5, 6), extrasgprs(1, 0, 0)
	.long occupancy(8, 8, 512, 8, 8, 90, 100), max(b-a, 3)
	.long .amdgcn.gfx_generation_number, .amdgcn.gfx_generation_minor, .amdgcn.gfx_generation_stepping
1:	.long 1b-a, 1f-a
1:	.long 1b-a
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .data type 1 flags 0x3 align 4 size 160
;>   11000000 07000000 ffffffff ffffffff
;>   01000000 00000000 fdffffff 01000000
;>   ffffffff ffffffff 14000000 fcffffff
;>   ffffff7f ffffffff ffffffff 00000000
;>   00000080 6c000000 48000000 1b000000
;>   ffffffff 05000000 06000000 09000000
;>   4d000000 610a050f 05000000 07000000
;>   07000000 08000000 0d000000 06000000
;>   04000000 6c000000 09000000 05000000
;>   00000000 94000000 9c000000 9c000000
;> a: .data 0x0 size 0 Local NoType Default
;> b: .data 0x6c size 0 Local NoType Default
;> x: absolute 0x9 size 0 Local NoType Default
;> forward: absolute 0x4d size 0 Local NoType Default
