; launch: two-waves
; A ring of two slots in LDS and two counters in plain words: how many are full, how many were taken. Whoever looks at one may
; find at once what he looks for, before anything was stored there in this launch, or what is stored while his load is in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	s_mov_b32 s10, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lstart
	ds_store_b32 v3, v3
	ds_store_b32 v3, v3 offset:64
	s_wait_dscnt 0x0
.Lstart:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
.Lproducer:
	.if RIGHT
	ds_load_b32 v5, v3 offset:64
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s11, v5
	s_add_co_i32 s11, s11, 1
	s_cmp_lt_i32 s11, s10
	s_cbranch_scc1 .Lproducer
	.endif
	s_and_b32 s12, s10, 1
	v_lshl_add_u32 v2, s12, 7, v1
	ds_store_b32 v2, v0 offset:512          ; <<< error[S2] missing-sync
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
	v_lshl_add_u32 v2, s12, 7, v1
	ds_load_b32 v6, v2 offset:384           ; <<< other end
	s_wait_dscnt 0x0
	s_lshl_b32 s13, s10, 7
	v_add_nc_u32_e32 v7, s13, v1
	global_store_b32 v7, v6, s[6:7]
	s_add_co_i32 s10, s10, 1
	v_mov_b32_e32 v4, s10
	ds_store_b32 v3, v4 offset:64
	s_cmp_lt_i32 s10, 6
	s_cbranch_scc1 .Lconsumer
	s_endpgm
	.include "end-gfx1250.inc"
