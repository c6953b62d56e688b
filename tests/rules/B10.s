; launch: two-waves
; A wave waits for a named barrier that it has not joined: it does not wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	init_barrier 2
	.if RIGHT
	s_barrier_join 1
	.endif
	s_barrier_signal 1                 ; <<< hint: a join of named barrier 1 before
	s_barrier_wait 1                        ; <<< error[B10] barrier
	s_endpgm
	.include "end-gfx1250.inc"
