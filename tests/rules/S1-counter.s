; launch: two-waves
; without launch
; One wave clears a counter in LDS, and behind the barrier both add to it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_lshrrev_b32_e32 v2, 5, v0
	v_mov_b32_e32 v3, 0
	v_readfirstlane_b32 s8, v2
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lcleared
	ds_store_b32 v3, v3 offset:2048         ; <<< other end
.Lcleared:
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	ds_add_rtn_u32 v5, v3, v4 offset:2048   ; <<< error[S1] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
