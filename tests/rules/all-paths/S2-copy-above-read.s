; Two waves fill a buffer, each its half, and read the other half; then they fill it again. That copy stands above the read of
; what it overwrites: a wait for it and a barrier before the read would show the second tile twice.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.ifeq RIGHT
	global_load_async_to_lds_b32 v1, v2, s[4:5]         ; <<< other end
	.endif
	ds_load_b32 v3, v2                                  ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1                                   ; <<< hint: the copy belongs behind the read and a barrier, behind
	.if RIGHT
	global_load_async_to_lds_b32 v1, v2, s[4:5]
	.endif
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v4, v2
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v4, v3, v4
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
