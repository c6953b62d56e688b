; launch: two-waves
; A wave takes one tile after the other. It looks for each in a loop that lanes leave one by one; that the loop around it comes
; back to the look, too, makes it no use of the flag as data. LDS performs a wave's stores in order: the flag needs no wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v3, 0x7c, v1
	v_mov_b32_e32 v4, 0
	s_mov_b32 s10, 0
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lclear
	ds_store_b32 v4, v4 offset:2048
	s_wait_dscnt 0x0
.Lclear:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Ltake
.Lgive:
	v_mov_b32_e32 v5, s10
	v_lshl_add_u32 v6, s10, 7, v3
	s_add_co_i32 s10, s10, 1
	v_mov_b32_e32 v7, s10
	.if RIGHT
	ds_store_b32 v6, v5                     ; <<< other end
	ds_store_b32 v4, v7 offset:2048
	.else
	ds_store_b32 v4, v7 offset:2048
	ds_store_b32 v6, v5                     ; <<< other end
	.endif
	s_wait_dscnt 0x0
	s_cmp_lg_u32 s10, 4
	s_cbranch_scc1 .Lgive
	s_endpgm
.Ltake:
	s_mov_b32 s12, 0
.Llook:
	ds_load_b32 v5, v4 offset:2048
	s_wait_dscnt 0x0
	v_cmp_lt_i32_e64 s11, s10, v5
	s_or_b32 s12, s11, s12
	s_and_not1_b32 exec_lo, exec_lo, s12
	s_cbranch_execnz .Llook
	s_or_b32 exec_lo, exec_lo, s12
	v_lshl_add_u32 v6, s10, 7, v3
	ds_load_b32 v5, v6                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v6, v5, s[6:7]
	s_add_co_i32 s10, s10, 1
	s_cmp_lg_u32 s10, 4
	s_cbranch_scc1 .Ltake
	s_endpgm
	.include "end-gfx1250.inc"
