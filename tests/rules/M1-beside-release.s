; launch: two-groups-of-128
; All waves of a workgroup store under a lock that one of them takes and gives back. Where that one does not wait for the others
; before it gives the lock back, the next workgroup comes too early; its own release orders its own stores only.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshrrev_b32_e32 v4, 6, v0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v8, 1
	v_mov_b32_e32 v9, 0
	v_readfirstlane_b32 s8, v4
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ltaken
	s_mov_b64 s[10:11], exec
	s_mov_b64 exec, 1
.Ltake:
	global_atomic_cmpswap v5, v6, v[8:9], s[6:7] offset:2048 sc0 sc1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s12, v5
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Ltake
	buffer_inv sc1
	s_mov_b64 exec, s[10:11]
.Ltaken:
	s_barrier
	global_load_dword v7, v1, s[6:7]        ; <<< error[M1] missing-sync
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v7, 1, v7
	global_store_dword v1, v7, s[6:7] sc1   ; <<< other end
	s_waitcnt vmcnt(0)
	.if RIGHT
	s_barrier
	.endif
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ldone
	s_mov_b64 exec, 1
	global_atomic_swap v6, v9, s[6:7] offset:2048 sc1 ; <<< hint: a barrier of the workgroup
.Ldone:
	s_endpgm
	.include "end-gfx950.inc"
