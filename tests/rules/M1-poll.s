; launch: two-waves
; A wave loads what another stores, and uses it: a race, unless it asks again and again. The loop is left forwards.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0x800
	v_mov_b32_e32 v5, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lpoll
	s_movk_i32 s10, 100
.Lslow:
	ds_store_b32 v1, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	s_mov_b32 exec_lo, 1
	global_store_b32 v3, v5, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
.Lpoll:
	global_load_b32 v4, v3, s[6:7]          ; <<< other end
	s_wait_loadcnt 0x0
	.if RIGHT
	v_readfirstlane_b32 s10, v4
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lset
	s_sleep 1
	s_branch .Lpoll
.Lset:
	.else
	v_mov_b32_e32 v5, v4
	.endif
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
