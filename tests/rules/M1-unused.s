; launch: two-waves
; Both waves load what one of them stores over: a race, unless the other does nothing with what it has loaded.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v3, 0x7c, v1
	global_load_b32 v4, v3, s[6:7]          ; <<< other end
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v4, v4, v4
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	s_movk_i32 s10, 300
.Lslow:
	ds_store_b32 v3, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	global_store_b32 v3, v4, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
.Lother:
	.ifeq RIGHT
	global_store_b32 v1, v4, s[6:7] offset:1024
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
