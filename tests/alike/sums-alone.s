; All workgroups add to the same places, and look at nothing of it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	exchange
	v_cvt_f32_u32_e32 v3, v6
	v_and_b32_e32 v9, 0x7f, v1
	global_atomic_add_f32 v9, v3, s[6:7] scope:SCOPE_DEV
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
