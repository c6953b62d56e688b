; A function reads SGPRs as an address that its caller's vector instructions have just written; the call is one wait state.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	s_nop 1
	v_readfirstlane_b32 s10, v2
	v_readfirstlane_b32 s11, v3                         ; <<< other end
	.if RIGHT
	s_nop 3
	.endif
	s_call_b64 s[30:31], fetch
	s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
	s_endpgm
fetch:
	global_load_dword v4, v1, s[10:11]                  ; <<< error[N1] hazard
	s_setpc_b64 s[30:31]
	.include "end-gfx950.inc"
