; One workgroup loads from LDS what nobody has written.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_cmp_eq_u32 s9, 13
	s_cselect_b32 s11, 0x100, 0
	v_add_nc_u32_e32 v9, s11, v1
	ds_load_b32 v6, v9                      ; <<< error[U2] uninitialized
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
