; On one way a wave waits for the barrier at which it has not arrived.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_barrier_signal -1
	.else
	s_cmp_eq_u32 s8, 7
	s_cbranch_scc1 .Lwait
	s_barrier_signal -1
.Lwait:
	.endif
	s_barrier_wait -1                       ; <<< error[B13] deadlock
	s_endpgm
	.include "end-gfx1250.inc"
