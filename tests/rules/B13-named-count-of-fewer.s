; launch: three-waves
; Three waves meet at one named barrier that is initialised for two, and then at one that is for three: one of them waits at the first, the
; others at the second, whose count is right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised
	s_mov_b32 m0, (3 << 16) | 2
	s_barrier_init m0
	.if RIGHT
	s_mov_b32 m0, (3 << 16) | 1
	.else
	s_mov_b32 m0, (2 << 16) | 1
	.endif
	s_barrier_init m0                       ; <<< hint: a count of 3
.Linitialised:
	s_barrier_signal -1
	s_barrier_wait -1
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1                        ; <<< error[B13] deadlock
	s_barrier_join 2
	s_barrier_signal 2
	s_barrier_wait 2                        ; <<< other end
	s_endpgm
	.include "end-gfx1250.inc"
