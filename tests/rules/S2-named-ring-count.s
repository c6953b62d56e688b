; launch: two-waves
; A producer copies two buffers ahead and tells of each at a barrier of its own, which is to be for it and its consumer. One of the two is
; initialised for one wave, so that each arrival completes a phase of it: that the consumer finds copies in flight comes of that. The
; waits are right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised_too
	s_mov_b32 m0, (2 << 16) | 2
	s_barrier_init m0
	s_mov_b32 m0, (2 << 16) | 3
	s_barrier_init m0
	.if RIGHT
	s_mov_b32 m0, (2 << 16) | 1
	.else
	s_mov_b32 m0, (1 << 16) | 1
	.endif
	s_barrier_init m0                       ; <<< hint: a count of 2
.Linitialised_too:
	s_barrier_signal -1
	s_barrier_wait -1
	v_and_b32_e32 v1, 0x7f, v1
	v_mov_b32_e32 v2, v1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
	global_load_async_to_lds_b32 v1, v2, s[4:5] ; <<< other end
	global_load_async_to_lds_b32 v1, v2, s[4:5] offset:128
	s_wait_asynccnt 0x1
	s_barrier_signal 1
	s_barrier_join 3
	s_barrier_signal 3
	s_barrier_wait 3
	global_load_async_to_lds_b32 v1, v2, s[4:5] ; <<< other end
	s_wait_asynccnt 0x1
	s_barrier_signal 2
	s_wait_asynccnt 0x0
	s_barrier_signal 1
	s_endpgm
.Lconsumer:
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_b32 v3, v1                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	s_barrier_signal 3
	s_barrier_join 2
	s_barrier_signal 2
	s_barrier_wait 2
	ds_load_b32 v4, v1 offset:128
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_b32 v5, v1                      ; <<< other end
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v4
	v_add_nc_u32_e32 v3, v3, v5
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
