; Whether there is something to wait for is asked as often as whether to load it; where the answer changes in between, not.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 0
	s_cmp_eq_u32 s9, 1
	s_cbranch_scc1 .Lskipped
	global_load_dword v2, v1, s[4:5]                    ; <<< other end
.Lskipped:
	.if RIGHT
	s_add_u32 s10, s9, 1
	.else
	s_add_u32 s9, s9, 1
	.endif
	s_cmp_eq_u32 s9, 1
	s_cbranch_scc1 .Lnothing
	s_waitcnt vmcnt(0)
.Lnothing:
	global_store_dword v1, v2, s[6:7]                   ; <<< error[R1] missing-wait
	s_endpgm
	.include "end-gfx950.inc"
