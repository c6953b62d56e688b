; LDS is read by a wave that has waited for none of its copies, whichever way it comes; the last copy it waits for.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v4, 0
	s_mov_b32 s10, 0
.Lloop:
	global_load_async_to_lds_b32 v1, v1, s[4:5]         ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	ds_load_b32 v2, v1                                  ; <<< error[R4] missing-wait <<< hint: s_wait_asynccnt
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v4, v4, v2
	s_add_co_i32 s10, s10, 1
	s_cmp_lt_u32 s10, 4
	s_cbranch_scc1 .Lloop
	.if RIGHT
	.else
	s_wait_asynccnt 0x0
	.endif
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
