; launch: two-waves
; One wave reads bytes that both then write over, with the same value: as with whole dwords (S2-same-value.s).

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v2, 31, v0                ; a byte a lane, the same for both waves
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 7
	ds_store_b8 v0, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	v_cmp_gt_u32_e32 vcc_lo, 0x80, v1
	s_and_saveexec_b32 s8, vcc_lo
	ds_load_u8 v3, v0                       ; <<< other end
	s_wait_dscnt 0x0
	s_mov_b32 exec_lo, s8
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_store_b8 v2, v4                      ; <<< error[S2] missing-sync
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
