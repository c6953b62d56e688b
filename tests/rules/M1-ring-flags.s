; launch: two-groups
; Workgroup 0 stores a value again and again and counts that for workgroup 1, which reads each. It has to wait until the last one is read.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v3, 0
	s_mov_b32 s10, 1                        ; the round
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lreader
.Lwriter:
	.if RIGHT
.Lfull:
	global_load_dword v5, v3, s[6:7] offset:2052 sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	v_readfirstlane_b32 s11, v5
	s_add_u32 s11, s11, 1
	s_cmp_lt_u32 s11, s10
	s_cbranch_scc1 .Lfull
	.endif
	v_add_u32_e32 v4, s10, v0
	global_store_dword v1, v4, s[6:7] offset:1024 ; <<< other end
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v5, s10
	global_store_dword v3, v5, s[6:7] offset:2048 sc1
	s_add_u32 s10, s10, 1
	s_cmp_lt_u32 s10, 40
	s_cbranch_scc1 .Lwriter
	s_endpgm
.Lreader:
	v_mov_b32_e32 v6, 0
.Lempty:
	global_load_dword v5, v3, s[6:7] offset:2048 sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	v_readfirstlane_b32 s11, v5
	s_cmp_lt_u32 s11, s10
	s_cbranch_scc1 .Lempty
	global_load_dword v4, v1, s[6:7] offset:1024 ; <<< error[M1] missing-sync
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v6, v6, v4
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v5, s10
	global_store_dword v3, v5, s[6:7] offset:2052 sc1
	s_add_u32 s10, s10, 1
	s_cmp_lt_u32 s10, 40
	s_cbranch_scc1 .Lempty
	global_store_dword v1, v6, s[6:7] offset:3072
	s_endpgm
	.include "end-gfx950.inc"
