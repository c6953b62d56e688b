; A function waits for both loads of its caller, and uses the older one.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	global_load_dword v2, v1, s[4:5]
	global_load_dword v3, v1, s[4:5] offset:4
	s_call_b64 s[30:31], twice
	global_load_dword v4, v1, s[4:5] offset:8
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v2, v2, v3
	v_add_u32_e32 v2, v2, v4
	global_store_dword v1, v2, s[6:7]
	s_endpgm
twice:
	.if RIGHT
	s_waitcnt vmcnt(1)
	.else
	s_waitcnt vmcnt(0)                      ; <<< advice[W2] over-strong
	.endif
	v_add_u32_e32 v2, v2, v2
	s_setpc_b64 s[30:31]
	.include "end-gfx950.inc"
