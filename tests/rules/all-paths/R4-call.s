; A function copies to LDS and comes back; its caller reads there.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_call_i64 s[30:31], fetch
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	ds_load_b32 v2, v1                      ; <<< error[R4] missing-wait <<< hint: s_wait_asynccnt 0
	s_wait_dscnt 0x0
	.if RIGHT
	.else
	s_wait_asynccnt 0x0
	.endif
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
fetch:
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	s_set_pc_i64 s[30:31]
	.include "end-gfx1250.inc"
