; launch: two-waves
; A wave reads from LDS what the other one stores over later: no lane is left that would take it over into what the wave
; stores, or one is.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v3, 0x7c, v1
	v_mov_b32_e32 v5, 1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lother
	ds_store_b32 v3, v5
	s_wait_dscnt 0x0
	ds_load_b32 v4, v3                      ; <<< other end
	v_mov_b32_e32 v6, 2
	s_wait_dscnt 0x0
	.if RIGHT
	s_mov_b32 exec_lo, 0
	.else
	s_mov_b32 exec_lo, 4
	.endif
	v_mov_b32_e32 v6, v4
	s_mov_b32 exec_lo, -1
	global_store_b32 v1, v6, s[6:7] offset:1024 ; <<< other end
	s_endpgm
.Lother:
	s_movk_i32 s10, 300
.Lslow:
	global_store_b32 v1, v0, s[6:7] offset:2048
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	ds_store_b32 v3, v5                     ; <<< error[S2] missing-sync
	s_endpgm
	.include "end-gfx1250.inc"
