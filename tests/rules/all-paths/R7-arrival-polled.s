; A wave waits for its copy by the barrier in LDS at which something arrives behind it, or looks at the barrier no more.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0x800
	v_mov_b64_e32 v[4:5], 1
	ds_store_b64 v2, v[4:5]
	s_wait_dscnt 0x0
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	ds_atomic_async_barrier_arrive_b64 v2
	.if RIGHT
.Lpoll:
	ds_load_b64 v[6:7], v2
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v6
	s_bitcmp1_b32 s10, 31
	s_cbranch_scc0 .Lpoll
	.endif
	s_endpgm                                ; <<< error[R7] missing-wait <<< hint: s_wait_asynccnt 0
	.include "end-gfx1250.inc"
