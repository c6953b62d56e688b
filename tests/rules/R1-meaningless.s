; launch: one-wave
; What a lane holds becomes an address of all, before it is there: that LDS is read there which nobody wrote comes of that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0
	v_mov_b32_e32 v2, 0x800
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	s_wait_dscnt 0x0
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	v_readfirstlane_b32 s10, v2             ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	v_mov_b32_e32 v5, s10
	ds_load_b32 v6, v5
	s_wait_dscnt 0x0
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
