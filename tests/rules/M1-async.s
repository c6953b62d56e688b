; launch: two-groups
; Two workgroups store from LDS to the same place; what they store is the same in the twin.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if !RIGHT
	v_add_nc_u32_e32 v0, s9, v0
	.endif
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	global_store_async_from_lds_b32 v1, v1, s[6:7] ; <<< error[M1] missing-sync
	s_wait_asynccnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
