; launch: two-waves
; A named barrier for no wave.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_mov_b32 m0, 0x20001
	.else
	s_mov_b32 m0, 0x00001
	.endif
	s_barrier_init m0                       ; <<< error[B2] barrier <<< hint: a count above 0
	s_endpgm
	.include "end-gfx1250.inc"
