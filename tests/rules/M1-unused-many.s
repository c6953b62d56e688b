; launch: eight-waves
; All waves load what the last one stores over. It is a race if one of them has a use for it, whichever that is.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v3, 0x7c, v1
	s_cmp_eq_u32 s8, 7
	s_cbranch_scc1 .Llast
	global_load_b32 v4, v3, s[6:7]          ; <<< other end
	s_wait_loadcnt 0x0
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lend_of_wave
	.ifeq RIGHT
	global_store_b32 v1, v4, s[6:7] offset:1024
	.endif
.Lend_of_wave:
	s_movk_i32 s10, 600
.Lstay:
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lstay
	s_endpgm
.Llast:
	v_mov_b32_e32 v5, 1
	s_movk_i32 s10, 300
.Lslow:
	ds_store_b32 v3, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	global_store_b32 v3, v5, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
	.include "end-gfx1250.inc"
