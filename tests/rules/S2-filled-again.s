; launch: two-waves
; A wave fills a buffer twice, and tells of either at a barrier in LDS, without a look whether the other one has read what was there first. That
; its own first copy is in flight as well comes of that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v10, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lin
	v_mov_b64_e32 v[4:5], 0
	s_mov_b32 exec_lo, 1
	ds_store_b64 v10, v[4:5] offset:2048    ; full
	ds_store_b64 v10, v[4:5] offset:2056    ; empty
	ds_store_b64 v10, v[4:5] offset:2064    ; full again
	s_wait_dscnt 0x0
	s_mov_b32 exec_lo, -1
.Lin:
	s_barrier_signal -1
	s_barrier_wait -1
	v_and_b32_e32 v1, 0x7f, v1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
	v_mov_b32_e32 v2, v1
	global_load_async_to_lds_b32 v1, v2, s[4:5]
	s_mov_b32 exec_lo, 1
	ds_atomic_async_barrier_arrive_b64 v10 offset:2048
	s_mov_b32 exec_lo, -1
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v2, 0x80, v2
	.if RIGHT
.Lfull:
	s_sleep 1
	ds_load_b32 v3, v10 offset:2056
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v3
	s_bitcmp0_b32 s10, 29
	s_cbranch_scc1 .Lfull
	.endif
	global_load_async_to_lds_b32 v1, v2, s[4:5] ; <<< error[S2] missing-sync
	s_mov_b32 exec_lo, 1
	ds_atomic_async_barrier_arrive_b64 v10 offset:2064
	s_mov_b32 exec_lo, -1
	s_wait_asynccnt 0x0
	s_endpgm
.Lconsumer:
	s_sleep 1
	ds_load_b32 v3, v10 offset:2048
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v3
	s_bitcmp0_b32 s10, 29
	s_cbranch_scc1 .Lconsumer
	ds_load_b32 v6, v1                      ; <<< other end
	s_wait_dscnt 0x0
	v_mov_b64_e32 v[4:5], 1
	s_mov_b32 exec_lo, 1
	ds_atomic_barrier_arrive_rtn_b64 v[8:9], v10, v[4:5] offset:2056
	s_mov_b32 exec_lo, -1
.Lagain:
	s_sleep 1
	ds_load_b32 v3, v10 offset:2064
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v3
	s_bitcmp0_b32 s10, 29
	s_cbranch_scc1 .Lagain
	ds_load_b32 v7, v1
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v7, v7, v6
	global_store_b32 v1, v7, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
