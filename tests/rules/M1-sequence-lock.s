; launch: two-groups
; A sequence lock: who writes makes the number odd before, and even after it; who reads takes what it has read for good if the
; number is the same and even before and after. Who does not look reads anything.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	s_mov_b32 exec_lo, 1
	s_mov_b32 s10, 0
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lread
.Lwrite:
	s_add_co_i32 s10, s10, 1
	v_mov_b32_e32 v4, s10
	global_store_b32 v3, v4, s[6:7] scope:SCOPE_DEV
	s_wait_storecnt 0x0
	global_store_b32 v3, v4, s[6:7] offset:64 scope:SCOPE_DEV ; <<< error[M1] missing-sync
	s_add_co_i32 s10, s10, 1
	v_mov_b32_e32 v4, s10
	s_wait_storecnt 0x0
	global_store_b32 v3, v4, s[6:7] scope:SCOPE_DEV
	s_cmp_lg_u32 s10, 12
	s_cbranch_scc1 .Lwrite
	s_endpgm
.Lread:
	.if RIGHT
	global_load_b32 v5, v3, s[6:7] scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v5
	s_and_b32 s11, s10, 1
	s_cbranch_scc1 .Lread
	.endif
	global_load_b32 v6, v3, s[6:7] offset:64 scope:SCOPE_DEV ; <<< other end
	.if RIGHT
	global_load_b32 v5, v3, s[6:7] scope:SCOPE_DEV
	.endif
	s_wait_loadcnt 0x0
	.if RIGHT
	v_readfirstlane_b32 s11, v5
	s_cmp_lg_u32 s10, s11
	s_cbranch_scc1 .Lread
	.endif
	global_store_b32 v3, v6, s[6:7] offset:128
	s_endpgm
	.include "end-gfx1250.inc"
