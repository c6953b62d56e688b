; A wait with nothing to wait for.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]
	s_wait_loadcnt 0x0
	.ifeq RIGHT
	s_wait_dscnt 0x0                        ; <<< advice[W1] redundant
	.endif
	v_add_nc_u32_e32 v2, 1, v2
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
