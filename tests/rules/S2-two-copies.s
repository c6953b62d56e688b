; launch: two-waves
; Two copies come over what the other wave may still read, with waits for its translations between: one barrier before the first is for both,
; and so is the wait before it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	ds_store_2addr_stride64_b32 v1, v0, v0 offset1:1
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v3, v2                      ; <<< other end
	ds_load_b32 v4, v2 offset:256           ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< error[S2] missing-sync <<< hint: s_wait_dscnt 0 and a barrier before
	s_wait_xcnt 0x0
	global_load_async_to_lds_b32 v1, v1, s[4:5] offset:256 ; <<< other end
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
