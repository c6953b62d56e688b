; launch: two-groups
; The last workgroup that counts resets the counter: it has seen that the others have counted. One that is not the last has
; not.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v5, v3, v4, s[6:7] th:TH_ATOMIC_RETURN scope:SCOPE_DEV ; <<< other end
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v5
	.if RIGHT
	s_cmp_lg_u32 s10, 1
	.else
	s_cmp_lg_u32 s10, 0
	.endif
	s_cbranch_scc1 .Ldone
	global_store_b32 v3, v3, s[6:7]         ; <<< error[M1] missing-sync
.Ldone:
	s_endpgm
	.include "end-gfx1250.inc"
