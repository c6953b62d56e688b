; launch: two-waves
; The workgroup barrier has no members to join.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	init_barrier 2
	.if RIGHT
	s_barrier_join 1
	.else
	s_barrier_join -1                       ; <<< error[B8] barrier
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
