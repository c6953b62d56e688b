; launch: two-groups
; without launch
; A workgroup takes a ticket and empties the caches that it shares with others and its own; only then it looks at the ticket.
; The wait belongs before the first of the two invalidates.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	s_xor_b32 s11, s9, 1
	v_lshl_add_u32 v2, s9, 7, v1
	v_lshl_add_u32 v3, s11, 7, v1
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 1
	global_store_b32 v2, v0, s[6:7] offset:1024
	s_waitcnt_vscnt null, 0x0
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v5, v6, v7, s[6:7] glc ; <<< other end
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	buffer_gl1_inv                          ; <<< hint: s_waitcnt vmcnt(0)
	buffer_gl0_inv
	v_readfirstlane_b32 s10, v5             ; <<< error[R1] missing-wait
	s_mov_b32 exec_lo, -1
	s_cmp_lg_u32 s10, 1
	s_cbranch_scc1 .Ldone
	global_load_b32 v8, v3, s[6:7] offset:1024
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v8, s[6:7] offset:2048
.Ldone:
	s_endpgm
	.include "end-gfx1100.inc"
