; launch: two-waves
; Two waves meet at a named barrier that is initialised for three.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised
	.if RIGHT
	s_mov_b32 m0, (2 << 16) | 1
	.else
	s_mov_b32 m0, (3 << 16) | 1
	.endif
	s_barrier_init m0                       ; <<< hint: a count of 2
.Linitialised:
	s_barrier_signal -1
	s_barrier_wait -1
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1                        ; <<< error[B13] deadlock
	s_endpgm
	.include "two-waves-gfx1250.inc"
	.include "end-gfx1250.inc"
