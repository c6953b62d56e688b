; The barrier is in a function: the store that its caller has in flight is in flight there.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	ds_store_b32 v1, v0                     ; <<< other end
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.endif
	s_getpc_b64 s[12:13]
	s_add_u32 s12, s12, meet@rel32@lo+4
	s_addc_u32 s13, s13, meet@rel32@hi+12
	s_swappc_b64 s[30:31], s[12:13]
	ds_load_b32 v3, v1 offset:4             ; <<< error[S1] missing-wait
	s_waitcnt lgkmcnt(0)
	s_endpgm
meet:
	s_barrier
	s_setpc_b64 s[30:31]
	.include "end-gfx1100.inc"
