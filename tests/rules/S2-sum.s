; launch: two-waves
; Both waves count in a cell. That there is something decides whether it is stored, but not whether the other wave is
; done.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v5, 1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lzeroed
	ds_store_b32 v2, v2 offset:2048
	s_wait_dscnt 0x0
.Lzeroed:
	s_barrier_signal -1
	s_barrier_wait -1
	ds_add_u32 v2, v5 offset:2048           ; <<< other end
	s_wait_dscnt 0x0
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v4, v2 offset:2048          ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_cmp_ne_u32_e32 vcc_lo, 0, v4
	s_cbranch_vccz .Lnothing
	global_store_b32 v1, v4, s[6:7]
.Lnothing:
	s_endpgm
	.include "end-gfx1250.inc"
