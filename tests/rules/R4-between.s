; launch: two-waves
; A load stands between the two halves of the barrier that follows the wait for the copies: the other wave need not have come to
; its wait. That an earlier barrier does not wait for them is as it should be.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	s_barrier_signal -1
	s_barrier_wait -1
	v_add_nc_u32_e32 v4, 0x100, v1
	global_load_async_to_lds_b32 v4, v1, s[4:5]
	s_wait_asynccnt 0x1                     ; <<< hint: a barrier between the two accesses, behind
	s_barrier_signal -1
	.if RIGHT
	s_barrier_wait -1
	ds_load_b32 v3, v2
	.else
	ds_load_b32 v3, v2                      ; <<< error[R4] missing-sync
	s_barrier_wait -1
	.endif
	s_wait_asynccnt 0x0
	ds_load_b32 v4, v4
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v4
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
