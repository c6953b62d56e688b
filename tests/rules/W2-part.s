; launch: two-groups
; A wait for loads and for LDS, where one of the loads would do: that for LDS stays.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mul_i32 s10, s9, 0x100
	v_mov_b32_e32 v4, v1
	v_add_nc_u32_e32 v1, s10, v1            ; workgroups keep apart
	global_load_b32 v2, v1, s[4:5]
	global_load_b32 v3, v1, s[4:5] offset:128
	ds_store_b32 v4, v1
	ds_load_b32 v5, v4
	.if RIGHT
	s_wait_loadcnt_dscnt 0x100
	.else
	s_wait_loadcnt_dscnt 0x0                ; <<< advice[W2] over-strong <<< hint: s_wait_loadcnt_dscnt 0x100 instead of
	.endif
	v_add_nc_u32_e32 v2, v5, v2
	global_store_b32 v1, v2, s[6:7]
	.if RIGHT
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v3, 1, v3
	global_store_b32 v1, v3, s[6:7] offset:128
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
