; with: end-of-program=lint warning
; The wave ends while its copy is still writing LDS, which is another workgroup's next.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_endpgm                                ; <<< error[R7] missing-wait <<< hint: s_wait_asynccnt 0
	.include "end-gfx1250.inc"
