; launch: two-waves-of-64
; The waves of a workgroup may be on several CUs: the cache of the one that loads may hold what was there before the barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.set TG_SPLIT, 1
	.include "gfx950.inc"
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_cbranch_vccz .Lconsumer
	global_store_dword v1, v0, s[6:7] sc0   ; <<< other end
	s_waitcnt vmcnt(0)
	s_barrier
	s_endpgm
.Lconsumer:
	s_barrier
	.if RIGHT
	buffer_inv sc0
	.endif
	v_subrev_u32_e32 v1, 0x100, v1
	global_load_dword v6, v1, s[6:7]        ; <<< error[M6] missing-invalidate
	s_waitcnt vmcnt(0)
	global_store_dword v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx950.inc"
