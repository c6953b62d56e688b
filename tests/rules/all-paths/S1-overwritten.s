; LDS is overwritten behind a barrier at which loads from there are in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	ds_read_b32 v2, v1                      ; <<< other end
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.endif
	s_barrier
	ds_write_b32 v1, v1 offset:128          ; <<< error[S1] missing-wait
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, v2, v2
	s_endpgm
	.include "end-gfx950.inc"
