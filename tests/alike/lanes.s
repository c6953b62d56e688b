; The lanes of a wave write one place in LDS: the same value, but in one workgroup.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_mov_b32_e32 v3, 7
	v_mov_b32_e32 v4, s8
	v_lshlrev_b32_e32 v4, 2, v4
	s_cmp_lg_u32 s9, 13
	s_cbranch_scc1 .Lequal
	v_mov_b32_e32 v3, v0
.Lequal:
	ds_store_b32 v4, v3                     ; <<< warning[INTRA] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v7, v3, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
