; launch: two-waves
; seed: 0
; A counter is cleared by the wave that counts first: that must be over before others count, whatever comes in between.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lcleared
	ds_store_b32 v2, v2 offset:2048         ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
.Lcleared:
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	ds_add_rtn_u32 v5, v2, v4 offset:2048   ; <<< error[S1] missing-wait
	s_wait_dscnt 0x0
	v_mov_b32_e32 v6, 1
	s_endpgm
	.include "end-gfx1250.inc"
