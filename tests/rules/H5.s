; launch: two-waves
; A named barrier that the kernel did not ask for.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	.set NAMED, 4
	.else
	.set NAMED, 0
	.endif
	s_mov_b32 m0, 0x20001
	s_barrier_init m0                       ; <<< warning[H5] barrier
	s_endpgm
	.include "end-gfx1250.inc"
