; with: asynccnt=one nothing
; without launch
; A wait counts on asynchronous loads and stores being one queue: the store is younger than the load.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0 offset:1024
	s_wait_dscnt 0x0
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	global_store_async_from_lds_b32 v1, v1, s[6:7] offset:1024
	.if RIGHT
	s_wait_asynccnt 0x0
	.else
	s_wait_asynccnt 0x1
	.endif
	ds_load_b32 v2, v1                      ; <<< warning[R4] missing-wait
	.ifeq RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_wait_dscnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
