; A function arrives at the barrier for its caller, who calls it twice and waits once.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_call_i64 s[30:31], arrive
	.if RIGHT
	s_barrier_wait -1
	.endif
	s_call_i64 s[30:31], arrive
	s_barrier_wait -1
	s_endpgm
arrive:
	s_barrier_signal -1                     ; <<< error[B12] barrier
	s_set_pc_i64 s[30:31]
	.include "end-gfx1250.inc"
