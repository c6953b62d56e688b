; launch: two-waves
; Two waves leave a barrier for one.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	init_barrier 2
	.else
	init_barrier 1
	.endif
	s_barrier_join 1
	s_barrier_leave                         ; <<< error[B3] barrier
	s_endpgm
	.include "end-gfx1250.inc"
