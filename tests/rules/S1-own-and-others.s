; launch: two-waves
; A wave reads parts of LDS, its own last, and behind a barrier both copy over their parts: all reads must be done at the barrier,
; also the one that only the wave's own copy would meet.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	v_xor_b32_e32 v2, 0x80, v1
	ds_load_b32 v3, v2                      ; <<< other end
	ds_load_b32 v4, v1                      ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< error[S1] missing-wait
	.if !RIGHT
	s_wait_dscnt 0x0
	.endif
	v_add_nc_u32_e32 v3, v3, v4
	global_store_b32 v1, v3, s[6:7]
	s_wait_asynccnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
