; launch: two-groups-of-128
; model: cu-order=workgroup
; The second wave of a workgroup stores, a barrier, and the first one sets a flag: its release waits for its own stores.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v4, 0
	v_readfirstlane_b32 s8, v0
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lconsumer
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .Lfirst
	global_store_dword v1, v0, s[6:7] offset:1024 ; <<< other end
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	s_barrier
	s_endpgm
.Lfirst:
	s_barrier
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v5, 1
	s_mov_b64 exec, 1
	global_store_dword v4, v5, s[6:7] sc1
	s_endpgm
.Lconsumer:
	global_load_dword v5, v4, s[6:7] sc1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lconsumer
	buffer_inv sc1
	v_and_b32_e32 v6, 0xff, v1
	global_load_dword v6, v6, s[6:7] offset:1280 ; <<< error[M5] missing-wait
	s_waitcnt vmcnt(0)
	global_store_dword v1, v6, s[6:7] offset:2048
	s_endpgm
	.include "end-gfx950.inc"
