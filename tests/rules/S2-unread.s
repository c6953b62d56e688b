; launch: two-waves
; A cell is set to zero by one wave, and counted up by both: what the counting returns nobody reads, but it writes.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v5, 1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc0 .Lzeroed
	ds_store_b32 v2, v2 offset:2048         ; <<< other end
	s_wait_dscnt 0x0
.Lzeroed:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_add_rtn_u32 v4, v2, v5 offset:2048   ; <<< error[S2] missing-sync <<< other end
	s_wait_dscnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
