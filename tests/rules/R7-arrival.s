; The wave ends while its asynchronous arrival at a barrier in LDS is in flight, which writes there.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b64_e32 v[4:5], 1
	ds_store_b64 v2, v[4:5]
	s_wait_dscnt 0x0
	ds_atomic_async_barrier_arrive_b64 v2   ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_endpgm                                ; <<< error[R7] missing-wait <<< hint: s_wait_asynccnt 0
	.include "end-gfx1250.inc"
