; The trap handler's barrier does nothing for a program.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.else
	s_barrier_signal -2                     ; <<< 1 error[B16] barrier
	s_barrier_wait -2                       ; <<< 2 error[B16] barrier
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
