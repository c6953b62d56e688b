; launch: two-waves
; A wave joins a barrier when the phase that it waits for may be over: here the other wave only happens to be slow.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	init_barrier 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lwaiter
	s_movk_i32 s10, 300
.Lslow:
	ds_store_b32 v1, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	s_barrier_signal 1
	s_endpgm
.Lwaiter:
	s_barrier_join 1
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	s_barrier_wait 1                        ; <<< error[B11] barrier
	s_endpgm
	.include "end-gfx1250.inc"
