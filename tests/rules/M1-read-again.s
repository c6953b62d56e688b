; launch: two-groups
; A wave waits for a flag, and reads it once more: that it finds what it has seen, or what came later, is the order of all
; accesses to one place. Who has not seen it may find anything.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 5
	s_mov_b32 exec_lo, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lpoll
	global_store_b32 v3, v4, s[6:7] scope:SCOPE_DEV ; <<< other end
	s_endpgm
.Lpoll:
	.if RIGHT
	global_load_b32 v5, v3, s[6:7] scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lpoll
	.endif
	global_load_b32 v5, v3, s[6:7] scope:SCOPE_DEV ; <<< error[M1] missing-sync
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v5, 1, v5
	global_store_b32 v3, v5, s[6:7] offset:64
	s_endpgm
	.include "end-gfx1250.inc"
