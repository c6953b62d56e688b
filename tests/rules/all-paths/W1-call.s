; A function waits for all that its callers have in flight; a wait behind it has nothing left.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_get_pc_i64 s[12:13]
	s_add_co_u32 s12, s12, twice@rel32@lo+4
	s_add_co_ci_u32 s13, s13, twice@rel32@hi+12
	global_load_b32 v2, v1, s[4:5]
	s_swap_pc_i64 s[30:31], s[12:13]
	.if !RIGHT
	s_wait_loadcnt 0x0                      ; <<< advice[W1] redundant
	.endif
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
twice:
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v2, v2, v2
	s_set_pc_i64 s[30:31]
	.include "end-gfx1250.inc"
