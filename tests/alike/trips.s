; Each workgroup goes round a loop as often as its number says, modulo 4, and once at least.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	s_lshr_b32 s11, s9, 2
	s_mul_i32 s11, s11, 4
	s_sub_u32 s11, s9, s11
.Lloop:
	exchange
	s_barrier_signal -1
	s_barrier_wait -1
	s_sub_u32 s11, s11, 1
	s_cmp_gt_i32 s11, 0
	s_cbranch_scc1 .Lloop
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
