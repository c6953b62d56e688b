; What a barrier instruction returns is read before it is there.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_get_barrier_state s10, -1             ; <<< other end
	.if RIGHT
	s_wait_kmcnt 0x0
	.endif
	v_mov_b32_e32 v2, s10                   ; <<< error[R8] missing-wait <<< hint: s_wait_kmcnt 0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
