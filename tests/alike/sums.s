; All workgroups add to the same places, and look at nothing of it; one loads what others add to.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	exchange
	v_cvt_f32_u32_e32 v3, v6
	v_and_b32_e32 v9, 0x7f, v1
	global_atomic_add_f32 v9, v3, s[6:7] scope:SCOPE_DEV ; <<< other end
	s_cmp_eq_u32 s9, 13
	s_cbranch_scc0 .Ldone
	global_load_b32 v6, v9, s[6:7]          ; <<< error[M1] missing-sync
	s_wait_loadcnt 0x0
	global_store_b32 v7, v6, s[4:5]
.Ldone:
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
