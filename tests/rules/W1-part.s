; launch: one-wave-of-64
; A wait for two counters, of which one had nothing outstanding: the other part stays.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	global_load_dword v2, v1, s[4:5]
	.if RIGHT
	s_waitcnt vmcnt(0)
	.else
	s_waitcnt vmcnt(0) lgkmcnt(0)           ; <<< advice[W1] redundant <<< hint: s_waitcnt vmcnt(0) instead of s_waitcnt
	.endif
	v_add_u32_e32 v2, 1, v2
	global_store_dword v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
