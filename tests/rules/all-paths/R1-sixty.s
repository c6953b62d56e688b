; Sixty loads stand behind the one whose result is used: a wait may leave as many, and not one more.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	global_load_dword v2, v1, s[4:5]        ; <<< other end
	.rept 60
	global_load_dword v3, v1, s[4:5] offset:4
	.endr
	.if RIGHT
	s_waitcnt vmcnt(60)
	.else
	s_waitcnt vmcnt(61)
	.endif
	v_add_u32_e32 v2, 1, v2                 ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(60)
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v2, v2, v3
	global_store_dword v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
