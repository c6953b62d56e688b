; launch: two-waves
; Whoever polls a barrier in LDS waits for what arrives there: it may be in flight at another barrier. What is stored beside it may not.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v10, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lin
	v_mov_b64_e32 v[4:5], 0x3f0000003f      ; 64 arrivals
	ds_store_b64 v10, v[4:5] offset:2048
	s_wait_dscnt 0x0
.Lin:
	s_barrier_signal -1
	s_barrier_wait -1
	v_xor_b32_e32 v6, 0x80, v1
	ds_store_b32 v1, v1 offset:1024         ; <<< other end
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	ds_atomic_async_barrier_arrive_b64 v10 offset:2048
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	ds_load_b32 v8, v6 offset:1024          ; <<< error[S1] missing-wait
.Lpoll:
	s_sleep 1
	ds_load_b32 v3, v10 offset:2048
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v3
	s_bitcmp0_b32 s10, 29
	s_cbranch_scc1 .Lpoll
	ds_load_b32 v7, v6
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v7, v7, v8
	global_store_b32 v1, v7, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
