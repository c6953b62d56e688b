; The wave ends while its copy is still reading LDS, which may be written by another workgroup next.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	global_store_async_from_lds_b32 v1, v1, s[6:7] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_endpgm                                ; <<< error[R7] missing-wait <<< hint: s_wait_asynccnt 0
	.include "end-gfx1250.inc"
