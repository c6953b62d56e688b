; A copy from one buffer of LDS is issued while a store to another one is in flight: only one to its own must be over.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0                                 ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	ds_store_b32 v1, v0 offset:1024
	global_store_async_from_lds_b32 v1, v1, s[6:7]      ; <<< error[R5] missing-wait <<< hint: s_wait_dscnt 1
	s_wait_asynccnt 0x0
	s_wait_dscnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
