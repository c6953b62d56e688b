; Two tiles are copied to LDS and read one after the other, each behind a wait and a barrier. The first wait is for both: the second
; has nothing to wait for. Which tile is read first addresses say, and no path.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	v_add_nc_u32_e32 v3, 0x100, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	global_load_async_to_lds_b32 v3, v3, s[4:5]
	.if RIGHT
	s_wait_asynccnt 0x1
	.else
	s_wait_asynccnt 0x0                     ; <<< hint: it can go; or, if nothing before it needs as much, more
	.endif
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v4, v2
	s_wait_asynccnt 0x0                     ; <<< advice[W1] redundant
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v5, v2 offset:256
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v4, v4, v5
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
