; launch: two-groups
; What the other workgroup has written is loaded after something else that it has not: the invalidate belongs before the first load
; behind the flag.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lpoll
	global_store_b32 v3, v4, s[6:7] offset:512 ; <<< other end
	global_wb scope:SCOPE_DEV
	s_wait_storecnt 0x0
	global_atomic_add_u32 v3, v4, s[6:7] scope:SCOPE_DEV
	s_endpgm
.Lpoll:
	global_load_b32 v5, v3, s[6:7] scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lpoll
	.if RIGHT
	global_inv scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	.endif
	global_load_b32 v7, v1, s[4:5]          ; <<< hint: global_inv scope:SCOPE_DEV
	global_load_b32 v6, v3, s[6:7] offset:512 ; <<< error[M6] missing-invalidate
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v6, v6, v7
	global_store_b32 v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1250.inc"
