; launch: two-waves
; The workgroup barrier is initialised by the hardware.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_mov_b32 m0, 0x20001
	s_barrier_init m0
	.else
	s_barrier_init -1                       ; <<< error[B19] barrier
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
