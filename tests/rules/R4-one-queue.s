; launch: one-wave
; An asynchronous store and a load are counted together. If both are one queue, as compilers have it, the first wait is for the store;
; if they are two, it says nothing. So it is not called needless.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_add_nc_u32_e32 v3, 0x80, v1
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	global_store_async_from_lds_b32 v1, v1, s[6:7]
	global_load_async_to_lds_b32 v3, v1, s[4:5] ; <<< other end
	s_wait_asynccnt 0x1
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	ds_load_b32 v4, v3                      ; <<< error[R4] missing-wait <<< hint: s_wait_asynccnt 0
	s_wait_dscnt 0x0
	global_store_b32 v1, v4, s[6:7] offset:128
	.if !RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
