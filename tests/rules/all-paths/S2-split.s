; A split barrier: the load of what another wave has stored before it arrived stands before the wait. No other barrier can stand
; there.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0
	s_barrier_signal -1
	.ifeq RIGHT
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync
	.endif
	v_mul_u32_u24_e32 v4, 3, v0
	s_barrier_wait -1                       ; <<< hint: ds_load_b32 belongs behind
	.if RIGHT
	ds_load_b32 v3, v2
	.endif
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v4, v3, v4
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
