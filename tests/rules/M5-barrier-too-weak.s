; launch: two-groups-of-128
; Each wave of a workgroup stores and writes that back, and waits for the store alone before the barrier behind which one of them
; takes a ticket: what is missing there is missing for that one as well.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshrrev_b32_e32 v4, 6, v0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 1
	v_readfirstlane_b32 s8, v4
	s_xor_b32 s11, s9, 1
	v_lshl_add_u32 v2, s9, 9, v1
	v_lshl_add_u32 v3, s11, 9, v1
	global_store_dword v2, v0, s[6:7] offset:1024 ; <<< other end
	buffer_wbl2 sc1
	.if RIGHT
	s_waitcnt vmcnt(0)
	.else
	s_waitcnt vmcnt(1)
	.endif
	s_barrier                               ; <<< hint: s_waitcnt vmcnt(0)
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lshared
	s_mov_b64 exec, 1
	global_atomic_add v5, v6, v7, s[6:7] sc0 sc1
	s_waitcnt vmcnt(0)
	ds_write_b32 v6, v5
	s_waitcnt lgkmcnt(0)
	s_mov_b64 exec, -1
.Lshared:
	s_barrier
	ds_read_b32 v5, v6
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s10, v5
	s_cmp_lg_u32 s10, 1
	s_cbranch_scc1 .Ldone
	buffer_inv sc1
	global_load_dword v8, v3, s[6:7] offset:1024 ; <<< error[M5] missing-wait
	s_waitcnt vmcnt(0)
	global_store_dword v1, v8, s[6:7] offset:2048
.Ldone:
	s_endpgm
	.include "end-gfx950.inc"
