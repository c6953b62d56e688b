; launch: two-groups-of-128
; A wave stores and tells another one of its workgroup by a flag; that writes back what it knows, which is not over when it tells the other
; workgroup by a flag of its own. The first flag needs no write-back.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshrrev_b32_e32 v4, 6, v0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 1
	v_readfirstlane_b32 s8, v4
	v_and_b32_e32 v2, 0xfc, v1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lother
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lbeside
	global_store_dword v2, v0, s[6:7] offset:1024 ; <<< other end
	s_waitcnt vmcnt(0)
	global_store_dword v6, v7, s[6:7] sc0
	s_endpgm
.Lbeside:
	global_load_dword v5, v6, s[6:7] sc0
	s_waitcnt vmcnt(0)
	v_cmp_ne_u32_e32 vcc, 1, v5
	s_cbranch_vccnz .Lbeside
	buffer_wbl2 sc1
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	global_store_dword v6, v7, s[6:7] offset:4 sc1 ; <<< hint: s_waitcnt vmcnt(0) before the releasing store
	s_endpgm
.Lother:
	global_load_dword v5, v6, s[6:7] offset:4 sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	v_cmp_ne_u32_e32 vcc, 1, v5
	s_cbranch_vccnz .Lother
	global_load_dword v8, v2, s[6:7] offset:1024 ; <<< error[M5] missing-wait
	s_waitcnt vmcnt(0)
	global_store_dword v1, v8, s[6:7] offset:2048
	s_endpgm
	.include "end-gfx950.inc"
