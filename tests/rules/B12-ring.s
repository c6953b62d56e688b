; launch: two-waves
; A producer and a consumer with a named barrier for full and one for empty; the producer does not wait for the empty one. That
; it arrives there again, and at the other one, that it overwrites what is being read, and that it is waited for in vain is one
; mistake.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised_too
	s_mov_b32 m0, (2 << 16) | 2
	s_barrier_init m0
.Linitialised_too:
	init_barrier 2
	v_and_b32_e32 v1, 0x7f, v1
	s_mov_b32 s10, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
.Lproducer:
	s_barrier_join 2
	s_barrier_signal 2                      ; <<< error[B12] barrier
	.if RIGHT
	s_barrier_wait 2
	.endif
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal 1
	s_add_co_i32 s10, s10, 1
	s_cmp_lt_u32 s10, 3
	s_cbranch_scc1 .Lproducer
	s_endpgm
.Lconsumer:
	s_barrier_signal 2
.Lround:
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_b32 v2, v1
	s_wait_dscnt 0x0
	s_add_co_i32 s10, s10, 1
	s_cmp_eq_u32 s10, 3
	s_cbranch_scc1 .Ldone
	s_barrier_signal 2
	s_branch .Lround
.Ldone:
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
