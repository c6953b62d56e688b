; One of two copies is read, and both are to be over when the wave ends: the wait for both is no stronger than that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	v_add_nc_u32_e32 v2, 0x80, v1
	global_load_async_to_lds_b32 v2, v1, s[4:5] offset:128 ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.else
	s_wait_asynccnt 0x1
	.endif
	ds_load_b32 v2, v1
	s_wait_dscnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm                                ; <<< error[R7] missing-wait <<< hint: s_wait_asynccnt 0
	.include "end-gfx1250.inc"
