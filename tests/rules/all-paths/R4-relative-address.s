; The address of what is read from LDS is written by M0: where the copy in flight goes, or elsewhere.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 s11, 0x400
	.if RIGHT
	s_movk_i32 s12, 0x400
	.else
	s_movk_i32 s12, 0
	.endif
	ds_store_b32 v1, v0
	ds_store_b32 v1, v0 offset:1024
	s_wait_dscnt 0x0
	global_load_async_to_lds_b32 v1, v1, s[4:5]         ; <<< other end
	s_mov_b32 m0, 1
	s_movreld_b32 s10, s12                              ; s11
	v_add_nc_u32_e32 v2, s11, v1
	ds_load_b32 v3, v2                                  ; <<< error[R4] missing-wait
	s_wait_dscnt 0x0
	s_wait_asynccnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
