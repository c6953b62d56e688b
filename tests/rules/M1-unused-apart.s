; launch: two-waves
; Both waves load what one of them stores over. The other one stores something, too: no race, as long as that does not come
; of what it has loaded. A register that is written in some lanes only still holds it in the others.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v3, 0x7c, v1
	global_load_b32 v4, v3, s[6:7]          ; <<< other end
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v5, v4, v4
	v_cmp_gt_u32_e32 vcc_lo, 16, v0
	s_and_saveexec_b32 s11, vcc_lo
	v_mov_b32_e32 v6, 1
	s_or_b32 exec_lo, exec_lo, s11
	v_mov_b32_e32 v4, 2
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	s_movk_i32 s10, 300
.Lslow:
	ds_store_b32 v3, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	global_store_b32 v3, v5, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
.Lother:
	v_cmp_gt_u32_e32 vcc_lo, 48, v0
	s_and_saveexec_b32 s11, vcc_lo
	v_mov_b32_e32 v5, 3
	.ifne RIGHT
	s_or_b32 exec_lo, exec_lo, s11
	v_mov_b32_e32 v5, 4
	.else
	s_mov_b32 exec_lo, s11
	.endif
	global_store_b32 v1, v5, s[6:7] offset:1024
	global_store_b32 v1, v4, s[6:7] offset:2048
	s_endpgm
	.include "end-gfx1250.inc"
