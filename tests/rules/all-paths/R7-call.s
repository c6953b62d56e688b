; A function copies to LDS for two callers, of whom the second ends without a wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_call_i64 s[30:31], fetch
	s_wait_asynccnt 0x0
	s_call_i64 s[30:31], fetch
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_endpgm                                ; <<< error[R7] missing-wait <<< hint: s_wait_asynccnt 0
fetch:
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	s_set_pc_i64 s[30:31]
	.include "end-gfx1250.inc"
