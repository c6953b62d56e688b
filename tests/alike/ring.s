; A ring of two slots whose counters are plain words of LDS. The producer does not look whether a slot has been read: with the
; waves in another order nothing of that may be seen, as its counter orders all that it meets.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_and_b32_e32 v11, 0x7c, v1
	v_mov_b32_e32 v3, 0x400
	s_mov_b32 s10, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lstart
	v_mov_b32_e32 v4, 0
	ds_store_b32 v3, v4
	s_wait_dscnt 0x0
.Lstart:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
.Lproducer:
	s_and_b32 s12, s10, 1
	v_lshl_add_u32 v2, s12, 7, v11
	ds_store_b32 v2, v0                     ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	s_add_co_i32 s10, s10, 1
	v_mov_b32_e32 v4, s10
	ds_store_b32 v3, v4
	s_cmp_lt_i32 s10, 6
	s_cbranch_scc1 .Lproducer
	s_endpgm
.Lconsumer:
	ds_load_b32 v5, v3
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s11, v5
	s_cmp_le_i32 s11, s10
	s_cbranch_scc1 .Lconsumer
	s_and_b32 s12, s10, 1
	v_lshl_add_u32 v2, s12, 7, v11
	ds_load_b32 v6, v2                      ; <<< other end
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7]
	s_add_co_i32 s10, s10, 1
	s_cmp_lt_i32 s10, 6
	s_cbranch_scc1 .Lconsumer
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
