; The program traps.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_nop 0
	.else
	s_trap 2                                ; <<< error[T1] trap
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
