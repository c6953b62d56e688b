; Copies are under way to one buffer of LDS, and another one is read, where other waves have stored.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_add_nc_u32_e32 v2, 0x400, v1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	.if RIGHT
	global_load_async_to_lds_b32 v2, v1, s[4:5]
	.else
	global_load_async_to_lds_b32 v1, v1, s[4:5]         ; <<< other end
	.endif
	s_barrier_signal -1                                 ; <<< hint: s_wait_asynccnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v1                                  ; <<< error[R4] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_wait_asynccnt 0x0
	s_endpgm
.Lother:
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_endpgm
	.include "end-gfx1250.inc"
