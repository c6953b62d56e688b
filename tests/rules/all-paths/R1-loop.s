; A loop loads for its next turn, and waits until one load is in flight: in the last turn that is the one it needs.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v4, 0
	s_mov_b32 s10, 0
	global_load_dword v2, v1, s[4:5]
.Lloop:
	global_load_dword v3, v1, s[4:5] offset:256 ; <<< other end
	s_waitcnt vmcnt(1)
	v_add_u32_e32 v4, v4, v2
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	v_mov_b32_e32 v2, v3                    ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0)
	s_add_i32 s10, s10, 1
	s_cmp_lt_u32 s10, 4
	s_cbranch_scc1 .Lloop
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
