; launch: two-groups-of-128
; A wave of each workgroup counts, and another one takes the count for a number as if it were there. That the load has no scope is
; not what is wrong: with one it is data as well.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_lshrrev_b32_e32 v4, 5, v0
	v_lshl_add_u32 v2, s9, 9, v1
	v_mov_b32_e32 v5, 1
	v_mov_b32_e32 v6, 0
	v_readfirstlane_b32 s8, v4
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lcounted
	global_atomic_add_u32 v6, v5, s[6:7] offset:2048 ; <<< other end
.Lcounted:
	.if RIGHT
	global_atomic_add_u32 v7, v6, v6, s[6:7] offset:2048 glc
	.else
	global_load_b32 v7, v6, s[6:7] offset:2048 ; <<< error[M1] missing-sync
	.endif
	s_waitcnt vmcnt(0)
	v_cvt_f32_u32_e32 v7, v7
	global_store_b32 v2, v7, s[6:7]
	s_endpgm
	.include "end-gfx1100.inc"
