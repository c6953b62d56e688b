; without launch
; A copy may write LDS before an earlier read of the same wave has read it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	ds_load_b32 v2, v1                      ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< error[R5] missing-wait <<< hint: s_wait_dscnt 0
	.ifeq RIGHT
	s_wait_dscnt 0x0
	.endif
	s_wait_asynccnt 0x0
	ds_load_b32 v3, v1
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v2, v2, v3
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
