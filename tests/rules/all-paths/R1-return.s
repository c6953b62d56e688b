; A function comes back with a load in flight. The caller that waits is told apart from the one that does not, and what
; the first one has in flight through the function does not reach the other.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	global_load_dword v5, v1, s[6:7]
	s_call_b64 s[30:31], fetch
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v4, v2, v5
	s_call_b64 s[30:31], fetch
	v_mov_b32_e32 v5, v4
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	v_add_u32_e32 v4, v2, v5                ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
	s_endpgm
fetch:
	global_load_dword v2, v1, s[4:5]        ; <<< other end
	s_setpc_b64 s[30:31]
	.include "end-gfx950.inc"
