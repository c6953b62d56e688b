; The second wait has nothing to wait for, whichever way the wave comes.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]
	s_cmp_eq_u32 s8, 7
	s_cbranch_scc1 .Lother
	s_wait_loadcnt 0x0
	v_mov_b32_e32 v3, v2
	s_branch .Lboth
.Lother:
	s_wait_loadcnt 0x0
	v_mov_b32_e32 v3, 0
.Lboth:
	.if !RIGHT
	s_wait_loadcnt 0x0                      ; <<< advice[W1] redundant
	.endif
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
