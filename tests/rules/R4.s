; LDS is read while a copy of the same wave is still writing it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	ds_load_b32 v2, v1                      ; <<< error[R4] missing-wait <<< hint: s_wait_asynccnt 0
	.ifeq RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_wait_dscnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
