; A wait for another counter that has operations of its own to wait for is no mistaken one, nor is one that waits for no memory: the
; wait for the copy is missing.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	global_load_b32 v2, v1, s[4:5] offset:512
	s_wait_loadcnt 0x0
	s_wait_alu depctr_va_vdst(0)
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	ds_load_b32 v3, v1                      ; <<< error[R4] missing-wait <<< hint: s_wait_asynccnt 0
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v2
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
