; One workgroup stores behind the buffer.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	s_cmp_eq_u32 s9, 13
	s_cselect_b32 s11, 0x2000, 0
	v_add_nc_u32_e32 v9, s11, v7
	global_store_b32 v9, v0, s[6:7]         ; <<< error[O1] out-of-bounds
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
