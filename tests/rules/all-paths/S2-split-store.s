; A split barrier: the store that another wave loads behind it stands behind the arrival.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	.if RIGHT
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: ds_store_b32 and the wait for it belong before
	.ifeq RIGHT
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0
	.endif
	s_barrier_wait -1
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
