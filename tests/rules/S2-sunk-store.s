; launch: two-waves
; A store was moved below the wait and the barrier that were meant for it: of the wait nothing is left to say but that it has come
; to wait for nothing, and that is no advice to follow.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	.if RIGHT
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.else
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_store_b32 v1, v0                     ; <<< other end
	.endif
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync <<< hint: s_wait_dscnt 0 and a barrier before
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "two-waves-gfx1250.inc"
	.include "end-gfx1250.inc"
