; launch: twelve-groups
; Eleven workgroups read a word, each then counts, and the twelfth, which waits for all of them, writes it. The first one counts
; before it reads: it is remembered, though ten others have read the word since.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v6, 0x800
	v_mov_b32_e32 v7, 1
	v_lshl_add_u32 v9, s9, 7, v1
	s_cmp_eq_u32 s9, 11
	s_cbranch_scc1 .Lwriter
	.if !RIGHT
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 .Lfirst
	.endif
	global_load_b32 v3, v1, s[4:5]
	s_wait_loadcnt 0x0
	global_store_b32 v9, v3, s[6:7]
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v6, v7, s[6:7] scope:SCOPE_DEV
	s_endpgm
	.if !RIGHT
.Lfirst:
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v6, v7, s[6:7] scope:SCOPE_DEV
	s_mov_b32 exec_lo, -1
	global_load_b32 v3, v1, s[4:5]          ; <<< other end
	s_wait_loadcnt 0x0
	global_store_b32 v9, v3, s[6:7]
	s_endpgm
	.endif
.Lwriter:
	global_load_b32 v5, v6, s[6:7] scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s11, v5
	s_cmp_lt_u32 s11, 11
	s_cbranch_scc1 .Lwriter
	global_store_b32 v1, v7, s[4:5]         ; <<< error[M1] missing-sync
	s_endpgm
	.include "end-gfx1250.inc"
