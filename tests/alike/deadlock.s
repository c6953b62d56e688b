; In one workgroup a wave waits at a barrier without having come to it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	s_cmp_eq_u32 s9, 13
	s_cselect_b32 s11, s8, 0
	s_cmp_lg_u32 s11, 0
	s_cbranch_scc1 .Lwaits
	s_barrier_signal -1
.Lwaits:
	s_barrier_wait -1                       ; <<< error[B13] deadlock
	global_store_b32 v7, v0, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
