; launch: two-waves
; A wave arrives twice and waits once: both arrivals may be of one phase.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_barrier_signal -1                     ; <<< other end
	.if RIGHT
	s_barrier_wait -1
	.endif
	s_barrier_signal -1                     ; <<< error[B12] barrier
	s_barrier_wait -1
	s_endpgm
	.include "end-gfx1250.inc"
