; Vector memory reads SGPRs that a vector instruction has just written; by one path there is more in between.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	s_nop 1
	v_readfirstlane_b32 s10, v2
	v_readfirstlane_b32 s11, v3                         ; <<< other end
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 .Lload
	s_nop 7
.Lload:
	.if RIGHT
	s_nop 2
	.endif
	global_load_dword v4, v1, s[10:11]                  ; <<< error[N1] hazard <<< hint: s_nop 2
	s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
