; Both waves write the same place in LDS, the same values, before workgroups talk and behind it; but one of them writes other
; values behind it. Some do more before they talk than others, and one of those skips a barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_and_b32_e32 v9, 0x7f, v1
	v_mov_b32_e32 v3, s9
	v_mov_b32_e32 v4, 5
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	global_load_b32 v10, v7, s[4:5]
	ds_store_b32 v9, v3 offset:256
	ds_store_b16 v9, v3 offset:512
	ds_store_b32 v1, v0                     ; <<< 1 other end
	s_wait_dscnt 0x0
	s_cmp_lt_u32 s9, 6
	s_cbranch_scc1 .Lless
	s_cmp_eq_u32 s9, 9
	s_cbranch_scc1 .Lskipped
	s_barrier_signal -1
	s_barrier_wait -1
.Lskipped:
	ds_load_b32 v6, v8                      ; <<< 1 error[S2] missing-sync
	s_wait_dscnt 0x0
.Lless:
	s_wait_loadcnt 0x0
	global_atomic_cmpswap_b32 v11, v9, v[4:5], s[6:7] th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	s_cmp_eq_u32 s9, 13
	s_cselect_b32 s11, s8, s9
	v_mov_b32_e32 v3, s11
	ds_store_b32 v9, v3 offset:256          ; <<< 2 error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7] offset:2048
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
