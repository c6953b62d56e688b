; Waves load into LDS without registers; a wait before the barrier could be for one copy less.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	global_load_async_to_lds_b32 v1, v7, s[4:5]
	v_add_nc_u32_e32 v9, 0x400, v1
	global_load_async_to_lds_b32 v9, v7, s[4:5]
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v6, v8
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
