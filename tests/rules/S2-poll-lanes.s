; launch: two-waves
; Lanes leave a loop once a cell has been counted up, here all of them the first time. What is loaded behind it relies on
; that; what does not wait for the cell reads any value of it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v5, 1
	v_lshlrev_b32_e32 v3, 2, v0
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lzeroed
	ds_store_b32 v2, v2 offset:2048
	s_wait_dscnt 0x0
.Lzeroed:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	ds_store_b32 v3, v0
	s_wait_dscnt 0x0
	s_mov_b32 exec_lo, 1
	ds_add_u32 v2, v5 offset:2048           ; <<< other end
	s_endpgm
.Lother:
	s_movk_i32 s10, 300
.Lslow:
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	s_mov_b32 s11, 0
.Lpoll:
	ds_load_b32 v4, v2 offset:2048          ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_cmp_eq_u32_e64 s2, 1, v4
	.if RIGHT
	s_or_b32 s11, s2, s11
	s_and_not1_b32 exec_lo, exec_lo, s11
	s_cbranch_execnz .Lpoll
	s_or_b32 exec_lo, exec_lo, s11
	.else
	v_cndmask_b32_e64 v3, v3, v4, s2
	.endif
	v_and_b32_e32 v3, 0x7c, v3
	.if RIGHT
	ds_load_b32 v6, v3
	.else
	v_mov_b32_e32 v6, v3
	.endif
	s_wait_dscnt 0x0
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
