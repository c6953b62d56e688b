; launch: three-waves
; Two producers copy two buffers ahead each and tell of them at a barrier of its own, which is to be for them and their consumer. One of the two
; is initialised for two waves, so that the arrivals of the producers complete a phase of it: that the consumer finds copies in flight comes of
; that, as does that they arrive again. The waits are right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised_too
	s_mov_b32 m0, (3 << 16) | 2
	s_barrier_init m0
	s_mov_b32 m0, (3 << 16) | 3
	s_barrier_init m0
	.if RIGHT
	s_mov_b32 m0, (3 << 16) | 1
	.else
	s_mov_b32 m0, (2 << 16) | 1
	.endif
	s_barrier_init m0                       ; <<< hint: a count of 3
.Linitialised_too:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_ge_u32 s8, 2
	s_cbranch_scc1 .Lconsumer
	v_mov_b32_e32 v2, v1
	global_load_async_to_lds_b32 v1, v2, s[4:5]
	global_load_async_to_lds_b32 v1, v2, s[4:5] offset:256
	s_wait_asynccnt 0x1
	s_barrier_signal 1                      ; <<< error[B12] barrier
	s_barrier_join 3
	s_barrier_signal 3
	s_barrier_wait 3
	global_load_async_to_lds_b32 v1, v2, s[4:5]
	s_wait_asynccnt 0x1
	s_barrier_signal 2
	s_wait_asynccnt 0x0
	s_barrier_signal 1                      ; <<< other end
	s_endpgm
.Lconsumer:
	v_and_b32_e32 v1, 0x7f, v1
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_2addr_b32 v[4:5], v1 offset1:32
	s_wait_dscnt 0x0
	s_barrier_signal 3
	s_barrier_join 2
	s_barrier_signal 2
	s_barrier_wait 2
	ds_load_2addr_b32 v[6:7], v1 offset0:64 offset1:96
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_2addr_b32 v[8:9], v1 offset1:32
	s_wait_dscnt 0x0
	v_add3_u32 v3, v4, v5, v6
	v_add3_u32 v3, v3, v7, v8
	v_add_nc_u32_e32 v3, v3, v9
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
