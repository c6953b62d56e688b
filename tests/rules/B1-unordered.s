; launch: two-waves
; seed: 0
; A named barrier that one wave initialises and another arrives at, with nothing between the two.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 m0, 2 << 16 | 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	s_barrier_init m0                       ; <<< other end
.Lother:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	s_barrier_join 1
	s_barrier_signal 1                      ; <<< error[B1] barrier
	s_barrier_wait 1
	s_endpgm
	.include "end-gfx1250.inc"
