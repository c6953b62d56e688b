; launch: two-groups
; A workgroup loads what the other one stores over when it is gone. What it stores may come of what it has loaded: that is
; dropped in every lane, or not.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_eq_u32 ttmp9, 0
	s_cbranch_scc0 .Lother
	global_load_b32 v4, v1, s[6:7]          ; <<< other end
	v_mov_b32_e32 v5, 1
	.if RIGHT
	v_cmp_gt_u32_e32 vcc_lo, 0, v0
	.else
	v_cmp_gt_u32_e32 vcc_lo, 1, v0
	.endif
	s_wait_loadcnt 0x0
	v_cndmask_b32_e32 v6, v5, v4, vcc_lo
	global_store_b32 v1, v6, s[6:7] offset:1024 ; <<< other end
	s_endpgm
.Lother:
	s_movk_i32 s10, 600
.Lslow:
	ds_store_b32 v1, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	global_store_b32 v1, v0, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
	.include "end-gfx1250.inc"
