; Both waves write the same place in LDS, the same values; two workgroups then do something else, one of them writes
; other values in the end.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_and_b32_e32 v9, 0x7f, v1
	v_mov_b32_e32 v3, s9
	ds_store_b32 v9, v3
	ds_store_b16 v9, v3 offset:512
	s_cmp_lt_u32 s9, 20
	s_cbranch_scc1 .Llike
	s_cmp_eq_u32 s9, 21
	s_cselect_b32 s11, s8, 5
	v_mov_b32_e32 v3, s11
.Llike:
	ds_store_b32 v9, v3                     ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v7, v3, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
