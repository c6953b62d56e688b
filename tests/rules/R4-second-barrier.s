; launch: two-waves
; Two copies and two barriers: each wait leaves the younger copy in flight, and behind the second barrier that is read. It is the
; second wait that is wrong, as the first barrier publishes the older copy alone.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	v_add_nc_u32_e32 v4, 0x100, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	global_load_async_to_lds_b32 v4, v1, s[4:5] ; <<< other end
	s_wait_asynccnt 0x1
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v3, v2
	.if RIGHT
	s_wait_asynccnt 0x0
	.else
	s_wait_asynccnt 0x1                     ; <<< wait
	.endif
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v5, v2 offset:256           ; <<< error[R4] missing-wait
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v5
	global_store_b32 v1, v3, s[6:7]
	.ifeq RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
