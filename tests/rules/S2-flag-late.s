; launch: two-waves
; A flag in LDS, set by a plain store. The wave that sets it does a lot else before the other one looks: what is known of the
; data is what was known when the flag was set, however long ago.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v3, 0x7c, v1
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lclear
	ds_store_b32 v4, v4 offset:2048
	s_wait_dscnt 0x0
.Lclear:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lother
	.if RIGHT
	ds_store_b32 v3, v5                     ; <<< other end
	ds_store_b32 v4, v5 offset:2048
	.else
	ds_store_b32 v4, v5 offset:2048
	ds_store_b32 v3, v5                     ; <<< other end
	.endif
	s_movk_i32 s10, 100
.Lmore:
	ds_store_b32 v3, v0 offset:1024
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lmore
	s_endpgm
.Lother:
	s_movk_i32 s10, 600
.Lslow:
	ds_store_b32 v3, v0 offset:1536
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
.Llook:
	ds_load_b32 v6, v4 offset:2048
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s11, v6
	s_cmp_eq_u32 s11, 0
	s_cbranch_scc1 .Llook
	ds_load_b32 v7, v3                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v1, v7, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
