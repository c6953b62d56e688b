; launch: two-waves
; Both waves count in a cell. A loop that waits for both has the sum when it is left; a look at it has not.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v5, 1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lzeroed
	ds_store_b32 v2, v2 offset:2048
	s_wait_dscnt 0x0
.Lzeroed:
	s_barrier_signal -1
	s_barrier_wait -1
	ds_add_u32 v2, v5 offset:2048           ; <<< other end
	s_wait_dscnt 0x0
.Llook:
	ds_load_b32 v4, v2 offset:2048          ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_cmp_gt_u32_e32 vcc_lo, 64, v4
	.if RIGHT
	s_cbranch_vccnz .Llook
	.else
	s_cbranch_vccnz .Lstore
	v_mov_b32_e32 v4, v4
.Lstore:
	.endif
	v_add_nc_u32_e32 v4, v4, v4
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
