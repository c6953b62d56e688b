; Each workgroup goes round a long loop, in which both waves write one place alike, as often as its number says, modulo 4, and
; once at least; one of them skips the last barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_and_b32_e32 v9, 0x7f, v1
	v_mov_b32_e32 v3, s9
	v_mov_b32_e32 v4, 0
	s_lshr_b32 s11, s9, 2
	s_mul_i32 s11, s11, 4
	s_sub_u32 s11, s9, s11
.Lloop:
	ds_store_b32 v9, v3 offset:512
	exchange
	.rept 60
	ds_load_b32 v4, v8
	s_wait_dscnt 0x0
	.endr
	s_barrier_signal -1
	s_barrier_wait -1
	s_sub_u32 s11, s11, 1
	s_cmp_gt_i32 s11, 0
	s_cbranch_scc1 .Lloop
	ds_store_b32 v9, v3 offset:512
	ds_store_b32 v1, v6                     ; <<< other end
	s_wait_dscnt 0x0
	s_cmp_eq_u32 s9, 22
	s_cbranch_scc1 .Lskipped
	s_barrier_signal -1
	s_barrier_wait -1
.Lskipped:
	ds_load_b32 v6, v8                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
