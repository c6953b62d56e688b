; launch: two-waves
; Wave 1 waits for a barrier that wave 0 arrives at once more than it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lsecond
	s_barrier_signal -1
	s_barrier_wait -1                       ; <<< error[B13] deadlock
	s_endpgm
.Lsecond:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	s_endpgm
	.else
	s_sethalt 1                             ; <<< other end
	s_endpgm
	.endif
	.include "end-gfx1250.inc"
