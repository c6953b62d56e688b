; LDS is read behind a barrier at which an addition to it is in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	ds_add_u32 v1, v0                       ; <<< other end
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.endif
	s_barrier
	ds_load_b32 v3, v1 offset:4             ; <<< error[S1] missing-wait
	s_waitcnt lgkmcnt(0)
	s_endpgm
	.include "end-gfx1100.inc"
