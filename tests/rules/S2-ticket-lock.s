; launch: eight-waves
; Waves take tickets in LDS, and each waits for its turn: the load that looks may be in flight while several others have theirs, and tells
; of the last.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	v_cmp_eq_u32_e32 vcc_lo, 0, v0
	s_and_saveexec_b32 s12, vcc_lo
	ds_store_b32 v3, v3                     ; the next ticket
	ds_store_b32 v3, v3 offset:256          ; whose turn it is
	ds_store_b32 v3, v3 offset:512          ; what is guarded
	s_mov_b32 exec_lo, s12
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_mov_b32 exec_lo, 1
	ds_add_rtn_u32 v5, v3, v4
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v5
.Lturn:
	ds_load_b32 v6, v3 offset:256
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s11, v6
	s_cmp_lg_u32 s11, s10
	s_cbranch_scc1 .Lturn
	ds_load_b32 v7, v3 offset:512           ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v7, 1, v7
	v_add_nc_u32_e32 v6, 1, v6
	.if RIGHT
	ds_store_b32 v3, v7 offset:512
	s_wait_dscnt 0x0
	.endif
	ds_store_b32 v3, v6 offset:256
	.if !RIGHT
	ds_store_b32 v3, v7 offset:512          ; <<< other end
	.endif
	global_store_b32 v1, v7, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
