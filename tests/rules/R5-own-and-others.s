; launch: two-waves
; A wave copies over what it reads itself and over what the other wave reads: one wait is missing, for all of it, and a barrier behind that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v3, v1                      ; <<< other end
	ds_load_b32 v4, v2                      ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< error[R5] missing-wait <<< hint: s_wait_dscnt 0 and a barrier before
	.if !RIGHT
	s_wait_dscnt 0x0
	.endif
	v_add_nc_u32_e32 v3, v3, v4
	s_wait_asynccnt 0x0
	ds_load_b32 v4, v1
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v4
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
