; launch: two-waves
; Wave 0 copies to two slots by turns and counts in LDS how often each is full; wave 1 reads them and counts how often each is empty. Nobody
; waits for the counters to be stored: wave 0 has to see that a slot is empty before it copies there again.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	v_and_b32_e32 v2, 0x7c, v1
	s_mov_b32 s10, 0                        ; the slot
	s_mov_b32 s11, 0                        ; the round
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lcleared
	ds_store_2addr_b32 v3, v3, v3 offset0:128 offset1:129 ; full
	ds_store_2addr_b32 v3, v3, v3 offset0:130 offset1:131 ; empty
	s_wait_dscnt 0x0
.Lcleared:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lreader
.Lcopier:
	v_lshl_add_u32 v5, s10, 2, 0x208
	.if RIGHT
.Lfull:
	ds_load_b32 v6, v5
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s12, v6
	s_cmp_lt_u32 s12, s11
	s_cbranch_scc1 .Lfull
	.endif
	v_lshl_add_u32 v7, s10, 7, v2
	global_load_async_to_lds_b32 v7, v2, s[4:5] ; <<< other end
	s_wait_asynccnt 0x0
	s_mov_b32 exec_lo, 1
	v_lshl_add_u32 v5, s10, 2, 0x200
	ds_add_u32 v5, v4
	s_mov_b32 exec_lo, -1
	s_xor_b32 s10, s10, 1
	s_xor_b32 s12, s10, 1
	s_add_co_i32 s11, s11, s12
	s_cmp_lt_u32 s11, 4
	s_cbranch_scc1 .Lcopier
	s_endpgm
.Lreader:
	s_mov_b32 s11, 1
	v_mov_b32_e32 v8, 0
.Lread:
	v_lshl_add_u32 v5, s10, 2, 0x200
.Lempty:
	ds_load_b32 v6, v5
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s12, v6
	s_cmp_lt_u32 s12, s11
	s_cbranch_scc1 .Lempty
	v_lshl_add_u32 v7, s10, 7, v2
	ds_load_b32 v6, v7                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v8, v8, v6
	s_mov_b32 exec_lo, 1
	ds_add_u32 v5, v4 offset:8
	s_mov_b32 exec_lo, -1
	s_xor_b32 s10, s10, 1
	s_xor_b32 s12, s10, 1
	s_add_co_i32 s11, s11, s12
	s_cmp_lt_u32 s11, 5
	s_cbranch_scc1 .Lread
	global_store_b32 v1, v8, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
