; launch: two-waves
; seed: 0
; A wave that has read too early stores nothing: because of what it has read.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lthere
	ds_store_b32 v2, v2
	s_wait_dscnt 0x0
.Lthere:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .Lreads
	ds_store_b32 v2, v4                     ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	s_endpgm
.Lreads:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v5, v2                      ; <<< other end
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lnothing                ; <<< other end
	global_store_b32 v1, v4, s[6:7]
.Lnothing:
	s_endpgm
	.include "end-gfx1250.inc"
