; launch: two-groups-of-128
; A barrier of the grid, where one wave of each workgroup writes back what all have stored: it adds to the count before that
; is over.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v4, 0x800
	v_mov_b32_e32 v5, 1
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_lshl_b32 s10, s9, 9
	s_xor_b32 s11, s10, 0x200
	v_add_u32_e32 v2, s10, v1
	v_add_u32_e32 v3, s11, v1
	global_store_dword v2, v0, s[6:7]       ; <<< other end
	s_barrier
	v_readfirstlane_b32 s12, v0
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Larrived
	s_mov_b64 exec, 1

	buffer_wbl2 sc1
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	global_atomic_add v4, v5, s[6:7]        ; <<< hint: s_waitcnt vmcnt(0)
.Llook:
	global_atomic_or v7, v4, v6, s[6:7] sc0
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s13, v7
	s_cmp_lg_u32 s13, 2
	s_cbranch_scc1 .Llook
	buffer_inv sc1
	s_mov_b64 exec, -1
.Larrived:
	s_barrier
	global_load_dword v8, v3, s[6:7]        ; <<< error[M5] missing-wait
	s_waitcnt vmcnt(0)
	global_store_dword v2, v8, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx950.inc"
