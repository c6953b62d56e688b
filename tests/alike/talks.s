; Workgroups do the same until they talk to each other. What one of them does then races with what it did before.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_and_b32_e32 v9, 0x7f, v1
	v_mov_b32_e32 v4, 5
	v_mov_b32_e32 v5, 0
	exchange
	s_barrier_signal -1
	s_barrier_wait -1
	ds_store_b32 v1, v6                     ; <<< other end
	s_wait_dscnt 0x0
	global_load_b32 v10, v9, s[6:7]
	global_atomic_cmpswap_b32 v3, v9, v[4:5], s[6:7] th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	s_cmp_eq_u32 s9, 13
	s_cbranch_scc1 .Lskipped
	s_barrier_signal -1
	s_barrier_wait -1
.Lskipped:
	ds_load_b32 v6, v8                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7] offset:2048
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
