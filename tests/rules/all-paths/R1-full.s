; The counter holds 63 operations: with 63 younger ones the first has come without a wait, with 62 it may be in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	global_load_dword v2, v1, s[4:5]        ; <<< other end
	.rept 62 + RIGHT
	global_load_dword v3, v1, s[4:5] offset:4
	.endr
	v_add_u32_e32 v2, 1, v2                 ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(62)
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v2, v2, v3
	global_store_dword v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
