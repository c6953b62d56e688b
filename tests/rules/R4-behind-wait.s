; launch: two-waves
; Copies are issued, then a barrier, then each wave copies more, and waits for what it has issued first: for another's to be
; there a barrier must come behind that, which is what is missing, not a wait before the first barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	v_add_nc_u32_e32 v4, 0x100, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	s_barrier_signal -1
	s_barrier_wait -1
	global_load_async_to_lds_b32 v4, v1, s[4:5]
	s_wait_asynccnt 0x1                     ; <<< hint: a barrier between the two accesses, behind
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[R4] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_wait_asynccnt 0x0
	ds_load_b32 v3, v4
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
