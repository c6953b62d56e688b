; In one workgroup a wave loads what the other one stores, without a barrier between.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	s_cmp_eq_u32 s9, 13
	s_cselect_b32 s11, 0x80, 0
	v_xor_b32_e32 v9, s11, v7
	global_store_b32 v7, v0, s[6:7]         ; <<< other end
	s_wait_storecnt 0x0
	global_load_b32 v6, v9, s[6:7]          ; <<< error[M1] missing-sync
	s_wait_loadcnt 0x0
	global_store_b32 v7, v6, s[4:5]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
