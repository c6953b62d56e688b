; launch: two-waves
; A flag in LDS tells of data in global memory, in a workgroup that may be on both compute units of a WGP: each has its cache, which
; who looks has to empty behind the look, before the look has decided anything or after that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lstart
	ds_store_b32 v3, v3
	s_waitcnt lgkmcnt(0)
.Lstart:
	s_barrier
	buffer_gl0_inv
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Llook
	global_store_b32 v3, v4, s[6:7] offset:512 ; <<< other end
	s_waitcnt_vscnt null, 0x0
	ds_store_b32 v3, v4
	s_endpgm
.Llook:
	ds_load_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	.if RIGHT
	buffer_gl0_inv
	.endif
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Llook
	global_load_b32 v6, v3, s[6:7] offset:512 ; <<< error[M6] missing-invalidate <<< hint: buffer_gl0_inv
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1100.inc"
