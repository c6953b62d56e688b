; with: arrive-count=allowed nothing
; launch: two-waves
; An arrival gives a barrier as many waves as have arrived already, itself not counted.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	init_barrier 3
	s_barrier_join 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lsecond
	s_barrier_signal 1
	s_barrier_signal -1
	s_barrier_wait -1
	.if RIGHT
	s_barrier_wait 1
	.endif
	s_endpgm
.Lsecond:
	s_barrier_signal -1
	s_barrier_wait -1
	.if RIGHT
	s_mov_b32 m0, 0x20001                   ; two waves, of whom one is there
	.else
	s_mov_b32 m0, 0x10001                   ; the one who is there
	.endif
	s_barrier_signal m0                     ; <<< error[B4] barrier
	.if RIGHT
	s_barrier_wait 1
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
