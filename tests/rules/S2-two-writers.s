; launch: two-waves
; Each wave stores on a path of its own, and reads what the other has stored; nothing keeps them from storing again before that
; is read. That two stores come too early is one barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	v_mov_b32_e32 v5, 0
	s_mov_b32 s12, 0
.Lround:
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	ds_store_b32 v1, v0                     ; <<< error[S2] missing-sync
	s_branch .Lmeet
.Lother:
	ds_store_b32 v1, v5                     ; <<< error[S2] missing-sync
.Lmeet:
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v4, v2                      ; <<< other end
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v4, v5
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	s_add_co_i32 s12, s12, 1
	s_cmp_lt_u32 s12, 4
	s_cbranch_scc1 .Lround
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
