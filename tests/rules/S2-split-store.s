; launch: two-waves
; without launch
; A wave stores between its arrival at the barrier and the wait: the other one's arrival may be the last, and it goes on.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0
	.if RIGHT
	ds_store_b32 v1, v0 offset:512
	.endif
	s_wait_dscnt 0x0
	s_barrier_signal -1                     ; <<< hint: ds_store_b32 and the wait for it belong before
	global_load_b32 v3, v1, s[4:5]
	.if RIGHT
	.else
	ds_store_b32 v1, v0 offset:512          ; <<< other end
	s_wait_dscnt 0x0
	.endif
	s_wait_loadcnt 0x0
	s_barrier_wait -1
	ds_load_b32 v4, v2
	ds_load_b32 v5, v2 offset:512           ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_add3_u32 v3, v3, v4, v5
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
