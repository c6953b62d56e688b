; What a wave reads, others overwrite behind a barrier, and the wave itself uses it there: the wait belongs before the barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	ds_load_b32 v2, v1 offset:4             ; <<< other end
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.endif
	s_barrier                               ; <<< hint: s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v4, v2, v0
	ds_store_b32 v1, v4                     ; <<< error[S1] missing-wait
	s_endpgm
	.include "end-gfx1100.inc"
