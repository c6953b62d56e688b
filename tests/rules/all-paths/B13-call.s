; A function waits for the barrier, at which one of its two callers has not arrived.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_barrier_signal -1
	s_call_i64 s[30:31], meet
	.if RIGHT
	s_barrier_signal -1
	.endif
	s_call_i64 s[30:31], meet
	s_endpgm
meet:
	s_barrier_wait -1                       ; <<< error[B13] deadlock
	s_set_pc_i64 s[30:31]
	.include "end-gfx1250.inc"
