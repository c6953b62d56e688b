; launch: two-groups-of-128
; All waves store, and behind a barrier one of them sets a flag without any fence. One write-back and its wait before the flag see to
; the stores of all.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshrrev_b32_e32 v4, 6, v0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 1
	v_readfirstlane_b32 s8, v4
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lreader
	global_store_dword v1, v0, s[6:7]       ; <<< other end
	s_barrier
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ldone
	.if RIGHT
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	.endif
	global_store_dword v6, v7, s[6:7] offset:2048 sc1 ; <<< hint: buffer_wbl2 sc1
	s_endpgm
.Lreader:
	global_load_dword v5, v6, s[6:7] offset:2048 sc1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s10, v5
	s_cmp_lg_u32 s10, 1
	s_cbranch_scc1 .Lreader
	buffer_inv sc1
	global_load_dword v8, v1, s[6:7]        ; <<< error[M5] missing-writeback
	s_waitcnt vmcnt(0)
	global_store_dword v1, v8, s[6:7] offset:1024
.Ldone:
	s_endpgm
	.include "end-gfx950.inc"
