; A function reads what its caller has in flight; one caller of two waits.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_get_pc_i64 s[12:13]
	s_add_co_u32 s12, s12, add_one@rel32@lo+4
	s_add_co_ci_u32 s13, s13, add_one@rel32@hi+12
	global_load_b32 v2, v1, s[4:5]
	s_wait_loadcnt 0x0
	s_swap_pc_i64 s[30:31], s[12:13]
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	s_swap_pc_i64 s[30:31], s[12:13]
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
add_one:
	v_add_nc_u32_e32 v2, 1, v2              ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	s_set_pc_i64 s[30:31]
	.include "end-gfx1250.inc"
