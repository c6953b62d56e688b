; A function copies from LDS what its caller has not waited for.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0                     ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_call_i64 s[30:31], put
	s_wait_asynccnt 0x0
	s_endpgm
put:
	global_store_async_from_lds_b32 v1, v1, s[6:7] ; <<< error[R5] missing-wait <<< hint: s_wait_dscnt 0
	s_set_pc_i64 s[30:31]
	.include "end-gfx1250.inc"
