; launch: two-waves
; A flag in LDS: wherever the waves of a workgroup are, its LDS is one, and what polls the flag reads what was stored before.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lstart
	ds_store_b32 v3, v3
.Lstart:
	ds_store_b32 v1, v1 offset:64
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
	ds_store_b32 v1, v0 offset:64           ; <<< other end
	s_waitcnt lgkmcnt(0)
	ds_store_b32 v3, v4
	s_endpgm
.Lconsumer:
	.if RIGHT
	ds_load_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lconsumer
	.endif
	v_add_nc_u32_e32 v2, 0xffffff80, v1
	ds_load_b32 v6, v2 offset:64            ; <<< error[S2] missing-sync
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1100.inc"
