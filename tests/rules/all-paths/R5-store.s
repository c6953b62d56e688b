; A copy from LDS is issued while a store to it is in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0                                 ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	global_store_async_from_lds_b32 v1, v1, s[6:7]      ; <<< error[R5] missing-wait <<< hint: s_wait_dscnt 0
	s_wait_asynccnt 0x0
	.if RIGHT
	.else
	s_wait_dscnt 0x0
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
