; launch: two-waves
; without launch
; Whether a wave was the first to arrive at a barrier it knows when it has waited there, not before.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_barrier_signal_isfirst -1             ; <<< other end
	.if RIGHT
	s_barrier_wait -1
	s_cselect_b32 s10, 1, 0
	.else
	s_cselect_b32 s10, 1, 0                 ; <<< error[R8] missing-wait <<< hint: s_wait_kmcnt 0
	s_barrier_wait -1
	.endif
	v_mov_b32_e32 v2, s10
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
