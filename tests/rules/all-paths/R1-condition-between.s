; As R1-condition, and other instructions stand between the comparison and the branch: one that is computed before it is
; written again decides all the same.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 0
	s_cmp_lg_u32 s9, 5
	s_nop 0
	v_mov_b32_e32 v3, 1
	s_cbranch_scc0 .Lskipped
	global_load_dword v2, v1, s[4:5]                    ; <<< other end
.Lskipped:
	.if RIGHT
	s_cmp_eq_u32 s9, 5
	s_mov_b32 s9, 5
	.else
	s_mov_b32 s9, 5
	s_cmp_eq_u32 s9, 5
	.endif
	s_branch .Lelsewhere
.Lelsewhere:
	s_cbranch_scc1 .Lnothing
	s_waitcnt vmcnt(0)
.Lnothing:
	v_add_u32_e32 v3, v3, v2                            ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0)
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
