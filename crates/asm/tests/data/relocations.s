; target: gfx950
	.text
	.globl g
a:
	s_nop 0
g:
	s_getpc_b64 s[4:5]
	s_mov_b32 s1, a@rel32@lo+4
	s_mov_b32 s1, a@rel32@hi+12
	s_mov_b32 s1, a@abs32@lo
	s_mov_b32 s1, a@gotpcrel32@lo+4
	s_mov_b32 s1, g@rel32@lo+4
	s_mov_b32 s1, a
	s_mov_b32 s1, .Lx+4
	s_mov_b32 s1, .Ly+4
	s_mov_b32 s1, d-a
	s_mov_b32 s1, g
	s_mov_b32 s1, ext
	s_mov_b32 s1, ext-4
	s_branch a
	s_branch .Lx
	s_branch g
	s_cbranch_scc0 1f
1:
	s_cbranch_scc1 1b
.Lx:
	.long a, g, .Lx+4, .Ly, .Ly-., .-a, ext, ext-., g-.
	.quad a, g, .Ly-., ext
	.data
	.byte 1
	.balign 8
.Ly:	.long 5
d:	.long 7
	.comm common, 16, 3
	.local lc
	.comm lc, 16, 3
	.amdgpu_lds ll, 64, 16
	.weak w
	.set alias, g
	.globl alias
	.set al2, a+4
	.long al2, alias, w
	.ident "hi"
	.section foo,"aw",@nobits
	.zero 16
	.section bar,"aMS",@progbits,1
.Ls:	.asciz "abc"
.Lt:	.asciz "def"
bt:
	.data
	.quad .Lt, bt, .Lt+2
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 192
;>   000080bf 001c84be ff0081be 00000000
;>   ff0081be 00000000 ff0081be 00000000
;>   ff0081be 00000000 ff0081be 00000000
;>   ff0081be ccffffff ff0081be 44000000
;>   ff0081be 00000000 ff0081be 00000000
;>   ff0081be 00000000 ff0081be 00000000
;>   ff0081be 00000000 e5ff82bf 030082bf
;>   ffff82bf 000084bf ffff85bf 00000000
;>   00000000 00000000 00000000 00000000
;>   90000000 00000000 00000000 68ffffff
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   at 0xc: R_AMDGPU_REL32_LO .text +4
;>   at 0x14: R_AMDGPU_REL32_HI .text +12
;>   at 0x1c: R_AMDGPU_ABS32_LO .text +0
;>   at 0x24: R_AMDGPU_GOTPCREL32_LO .text +4
;>   at 0x2c: R_AMDGPU_REL32_LO g +4
;>   at 0x44: R_AMDGPU_REL32 .data +12
;>   at 0x4c: R_AMDGPU_REL32 .data +88
;>   at 0x54: R_AMDGPU_REL32 g +0
;>   at 0x5c: R_AMDGPU_REL32 ext +0
;>   at 0x64: R_AMDGPU_ABS32 ext -4
;>   at 0x70: R_AMDGPU_REL16 g +0
;>   at 0x7c: R_AMDGPU_ABS32 .text +0
;>   at 0x80: R_AMDGPU_ABS32 g +0
;>   at 0x84: R_AMDGPU_ABS32 .text +128
;>   at 0x88: R_AMDGPU_ABS32 .data +8
;>   at 0x8c: R_AMDGPU_REL32 .data +8
;>   at 0x94: R_AMDGPU_ABS32 ext +0
;>   at 0x98: R_AMDGPU_REL32 ext +0
;>   at 0xa0: R_AMDGPU_ABS64 .text +0
;>   at 0xa8: R_AMDGPU_ABS64 g +0
;>   at 0xb0: R_AMDGPU_REL64 .data +8
;>   at 0xb8: R_AMDGPU_ABS64 ext +0
;> .data type 1 flags 0x3 align 8 size 52
;>   01000000 00000000 05000000 07000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000
;>   at 0x10: R_AMDGPU_ABS32 .text +4
;>   at 0x14: R_AMDGPU_ABS32 alias +0
;>   at 0x18: R_AMDGPU_ABS32 w +0
;>   at 0x1c: R_AMDGPU_ABS64 bar +4
;>   at 0x24: R_AMDGPU_ABS64 bar +8
;>   at 0x2c: R_AMDGPU_ABS64 .Lt +2
;> .bss type 8 flags 0x3 align 8 size 16
;> .comment type 1 flags 0x30 align 1 size 4
;>   00686900
;> foo type 8 flags 0x3 align 1 size 16
;> bar type 1 flags 0x32 align 1 size 8
;>   61626300 64656600
;> .debug_line type 1 flags 0x0 align 1 size 75
;>   47000000 04001c00 00000401 01fb0e0d
;>   00010101 01000000 01000001 0066696c
;>   65000000 00000502 00090200 00000000
;>   00000016 22212f2f 2f2f2f2f 2f2f2f2f
;>   2f2f2121 21220212 000101
;>   at 0x2b: R_AMDGPU_ABS64 a +0
;> a: .text 0x0 size 0 Local NoType Default
;> d: .data 0xc size 0 Local NoType Default
;> lc: .bss 0x0 size 16 Local Object Default
;> al2: .text 0x4 size 0 Local NoType Default
;> .Lt: bar 0x4 size 0 Local NoType Default
;> bt: bar 0x8 size 0 Local NoType Default
;> g: .text 0x4 size 0 Global NoType Default
;> ext: undefined 0x0 size 0 Global NoType Default
;> common: common 0x8 size 16 Global Object Default
;> w: undefined 0x0 size 0 Weak NoType Default
;> alias: .text 0x4 size 0 Global NoType Default
