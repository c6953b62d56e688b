; with: completion-bit=kept error
; launch: two-waves
; A wave arrives at a barrier, and joins another before it has waited for the first.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised_too
	s_mov_b32 m0, (2 << 16) | 2
	s_barrier_init m0
.Linitialised_too:
	init_barrier 2
	s_barrier_join 1
	s_barrier_signal -1
	s_barrier_wait -1
	s_barrier_signal 1                      ; <<< other end
	.if RIGHT
	s_barrier_wait 1
	.endif
	s_barrier_join 2                        ; <<< warning[H1] barrier
	s_barrier_signal -1
	s_barrier_wait -1
	s_barrier_signal 2
	s_barrier_wait 2
	s_endpgm
	.include "end-gfx1250.inc"
