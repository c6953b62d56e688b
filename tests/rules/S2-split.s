; launch: two-waves
; A wave reads what the other one has stored between its arrival at the barrier and its wait: another barrier in front of that would
; be joined in vain, and the load belongs behind the wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0
	s_barrier_signal -1
	.if RIGHT
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync <<< hint: behind the wait for the workgroup barrier
	.if !RIGHT
	s_barrier_wait -1
	.endif
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
