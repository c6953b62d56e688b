; launch: two-waves
; A lock in LDS that an exchange takes and a plain store gives back: an exchange that finds it taken leaves it as it is.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lstart
	ds_store_b32 v3, v3
	ds_store_b32 v3, v3 offset:64
	s_wait_dscnt 0x0
.Lstart:
	s_barrier_signal -1
	s_barrier_wait -1
	s_mov_b32 exec_lo, 1
.Ltake:
	ds_storexchg_rtn_b32 v5, v3, v4
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Ltake
	ds_load_b32 v6, v3 offset:64            ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v6, v6, v4
	.if RIGHT
	ds_store_b32 v3, v6 offset:64
	ds_store_b32 v3, v3
	.else
	ds_store_b32 v3, v3
	ds_store_b32 v3, v6 offset:64           ; <<< other end
	.endif
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
