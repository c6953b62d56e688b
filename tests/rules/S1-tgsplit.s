; launch: two-waves-of-64
; A wave arrives at a barrier before its store is over. The cache of a CU keeps the order of what its waves do, so that
; this is wrong only where the waves may be split over CUs.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.set TG_SPLIT, 1 - RIGHT
	.include "gfx950.inc"
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_cbranch_vccz .Lconsumer
	global_store_dword v1, v0, s[6:7] sc0   ; <<< other end
	s_barrier                               ; <<< hint: s_waitcnt vmcnt(0)
	s_endpgm
.Lconsumer:
	s_barrier
	buffer_inv sc0
	v_subrev_u32_e32 v1, 0x100, v1
	global_load_dword v6, v1, s[6:7] sc0    ; <<< error[S1] missing-wait
	s_waitcnt vmcnt(0)
	global_store_dword v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx950.inc"
