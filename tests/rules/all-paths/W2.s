; Two loads; the wait for the first is for both, and another wait stands before the second's use, on both ways.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]
	global_load_b32 v3, v1, s[4:5] offset:256
	.if RIGHT
	s_wait_loadcnt 0x1
	.else
	s_wait_loadcnt 0x0                                  ; <<< advice[W2] over-strong <<< hint: s_wait_loadcnt 1
	.endif
	v_add_nc_u32_e32 v4, v2, v2
	global_load_b32 v5, v1, s[4:5] offset:512
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v4, v4, v3
	v_add_nc_u32_e32 v4, v4, v5
	s_branch .Lstore
.Lother:
	s_wait_loadcnt 0x0
	v_sub_nc_u32_e32 v4, v4, v3
	v_sub_nc_u32_e32 v4, v4, v5
.Lstore:
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
