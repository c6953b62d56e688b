; A copy to LDS is issued while a store to its bytes is in flight; a store to others need not be over.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0                     ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	ds_store_b32 v1, v0 offset:1024
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< error[R5] missing-wait <<< hint: s_wait_dscnt 1
	s_wait_asynccnt 0x0
	s_wait_dscnt 0x0
	ds_load_b32 v2, v1
	s_wait_dscnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
