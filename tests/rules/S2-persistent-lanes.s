; launch: two-waves
; A persistent loop that lanes leave one by one. Where none has a tile the branch on EXEC goes back over the load, to where the
; loop ends: that makes no poll of it, as what it skips uses the value and goes back likewise.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 s10, 0
	v_mov_b32_e32 v4, 0
	ds_store_b32 v4, v4
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	v_lshrrev_b32_e32 v2, 5, v0
	v_readfirstlane_b32 s12, v2
	s_branch .Lnext
.Lleave:
	s_and_b32 s13, s14, exec_lo
	s_cbranch_scc0 .Ldone
.Lnext:
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lread
	v_mov_b32_e32 v3, s10
	ds_store_b32 v4, v3                     ; <<< other end
	s_wait_dscnt 0x0
.Lread:
	s_add_co_i32 s10, s10, 1
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v5, v4                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_mov_b32 s14, 0
	v_cmpx_gt_u32_e32 2, v5
	s_cbranch_execz .Lleave
	s_mov_b32 s14, -1
	v_lshl_add_u32 v6, v5, 8, v1
	global_store_b32 v6, v5, s[6:7]
	s_branch .Lleave
.Ldone:
	s_endpgm
	.include "end-gfx1250.inc"
