; launch: two-waves
; A named barrier that nobody has initialised.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	init_barrier 2
	.endif
	s_barrier_join 1
	s_barrier_signal 1                      ; <<< error[B1] barrier <<< hint: an initialisation by one wave, and a barrier
	.if RIGHT
	s_barrier_wait 1
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
