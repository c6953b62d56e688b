; launch: two-waves
; without launch
; A wave stores its rows of two tiles and waits for the first one. Behind the barrier the other wave loads from the first tile,
; which is there, and then from the second.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0
	ds_store_b32 v1, v0 offset:1024         ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.else
	s_wait_dscnt 0x1
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v2
	ds_load_b32 v4, v2 offset:1024          ; <<< error[S1] missing-wait
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v4
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
