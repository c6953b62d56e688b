; Two waves store, each its half, and read the other half at once: neither a barrier nor a wait stands in between.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0                     ; <<< other end
	ds_store_b32 v1, v0 offset:256
	.if RIGHT
	s_wait_dscnt 0x1
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync <<< hint: s_wait_dscnt 1 and a barrier before
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
