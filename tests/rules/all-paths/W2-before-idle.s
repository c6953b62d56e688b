; Three loads, each waited for before its use. The first wait is for all of them: the others have nothing to wait for then, but it
; is the first that is too strong.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]
	global_load_b32 v3, v1, s[4:5] offset:256
	global_load_b32 v4, v1, s[4:5] offset:512
	.if RIGHT
	s_wait_loadcnt 0x2
	.else
	s_wait_loadcnt 0x0                      ; <<< advice[W2] over-strong <<< hint: s_wait_loadcnt 2
	.endif
	v_add_nc_u32_e32 v2, v2, v2
	s_wait_loadcnt 0x1
	v_add_nc_u32_e32 v2, v3, v2
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v2, v4, v2
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
