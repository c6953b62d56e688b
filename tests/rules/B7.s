; launch: two-waves
; A wave arrives and ends, and does not know that the other has arrived.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_barrier_signal -1                     ; <<< other end
	.if RIGHT
	s_barrier_wait -1
	.endif
	s_endpgm                                ; <<< warning[B7] barrier <<< hint: a wait for the barrier before
	.include "end-gfx1250.inc"
