; One workgroup skips a wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	global_load_b32 v2, v7, s[4:5]          ; <<< other end
	s_cmp_eq_u32 s9, 17
	s_cbranch_scc1 .Lskipped
	s_wait_loadcnt 0x0
.Lskipped:
	v_add_nc_u32_e32 v6, 1, v2              ; <<< error[R1] missing-wait
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
