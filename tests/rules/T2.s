; A loop that never ends, or in the twin after ten rounds.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_movk_i32 s10, 10
.Lloop:
	.if RIGHT
	s_add_co_i32 s10, s10, -1
	.endif
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lloop                   ; <<< error[T2] step-limit
	s_endpgm
	.include "end-gfx1250.inc"
