; launch: two-waves-of-64
; A flag in global memory for the waves of one compute unit: an atomic sets it, a plain load looks at it, as all of them go
; through one cache.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v3, 0x800
	v_mov_b32_e32 v4, 1
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_cbranch_vccz .Lconsumer
	global_store_dword v1, v0, s[6:7]       ; <<< other end
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, 1
	global_atomic_add v3, v4, s[6:7]
	s_endpgm
.Lconsumer:
	.if RIGHT
	global_load_dword v5, v3, s[6:7]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lconsumer
	.endif
	v_subrev_u32_e32 v2, 0x100, v1
	global_load_dword v6, v2, s[6:7]        ; <<< error[M1] missing-sync
	s_waitcnt vmcnt(0)
	global_store_dword v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx950.inc"
