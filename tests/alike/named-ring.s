; A producer that does not wait for its slot to be empty, with named barriers: what that does depends on how far it gets.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised_too
	s_mov_b32 m0, (2 << 16) | 2
	s_barrier_init m0
.Linitialised_too:
	init_barrier 2
	v_and_b32_e32 v11, 0x7c, v1
	s_mov_b32 s11, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
.Lproducer:
	s_barrier_join 2
	s_barrier_signal 2                      ; <<< error[B12] barrier
	ds_store_b32 v11, v0
	s_wait_dscnt 0x0
	s_barrier_signal 1
	s_add_co_i32 s11, s11, 1
	s_cmp_lt_u32 s11, 3
	s_cbranch_scc1 .Lproducer
	s_endpgm
.Lconsumer:
	s_barrier_signal 2
.Lround:
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_b32 v6, v11
	s_wait_dscnt 0x0
	s_add_co_i32 s11, s11, 1
	s_cmp_eq_u32 s11, 3
	s_cbranch_scc1 .Ldone
	s_barrier_signal 2
	s_branch .Lround
.Ldone:
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
