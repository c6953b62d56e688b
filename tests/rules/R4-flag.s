; launch: two-waves
; A flag in LDS that an atomic counts up hands a copy on, behind a barrier that is for something else: the wait belongs before
; the atomic, and the copy that is younger may stay in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v3, 0x7c, v1
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 1
	v_add_nc_u32_e32 v6, 0x400, v3
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lclear
	ds_store_b32 v4, v4 offset:2048
	s_wait_dscnt 0x0
.Lclear:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Llook
	global_load_async_to_lds_b32 v3, v3, s[4:5] ; <<< other end
	global_load_async_to_lds_b32 v6, v3, s[4:5]
	s_wait_asynccnt 2 - RIGHT
	s_mov_b32 exec_lo, 1
	ds_add_u32 v4, v5 offset:2048           ; <<< hint: s_wait_asynccnt 1
	s_mov_b32 exec_lo, -1
	s_wait_asynccnt 0x0
	s_endpgm
.Llook:
	ds_load_b32 v6, v4 offset:2048
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s11, v6
	s_cmp_eq_u32 s11, 0
	s_cbranch_scc1 .Llook
	ds_load_b32 v7, v3                      ; <<< error[R4] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v7, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
