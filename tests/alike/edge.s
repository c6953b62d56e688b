; The last workgroups do less: half of their lanes are off.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	s_cmp_lt_u32 s9, 20
	s_cbranch_scc1 .Lwhole
	s_mov_b32 exec_lo, 0xffff
.Lwhole:
	exchange
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
