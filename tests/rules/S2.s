; launch: two-waves
; A wave reads the LDS that the other writes, and nothing orders the two.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0                        ; <<< hint: a barrier between the two accesses, behind
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
