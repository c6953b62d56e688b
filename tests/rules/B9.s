; launch: two-waves
; A wave leaves what it has not joined.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	init_barrier 2
	.if RIGHT
	s_barrier_join 1
	.endif
	s_barrier_leave                         ; <<< error[B9] barrier
	s_endpgm
	.include "end-gfx1250.inc"
