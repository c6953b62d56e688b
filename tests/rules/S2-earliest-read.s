; launch: two-waves
; Each wave reads what both have stored, wave 0's first: the other one lacks the barrier there already, before the load that wave 0 lacks
; it for, and a wait before that would leave as much in flight as stands between the two.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v2, 0x7c, v1
	ds_store_b32 v1, v0                     ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync <<< hint: s_wait_dscnt 0 and a barrier before
	ds_load_b32 v4, v2 offset:128           ; <<< other end
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v4
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
