; launch: two-waves
; seed: 0
; A flag in LDS is cleared, set and polled: who polls it must come behind what clears it, or may find what was there before. That
; it has been cleared whenever it comes there is luck. Where it comes first, that is U2.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lcleared
	ds_store_b32 v3, v3 offset:2048         ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
.Lcleared:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lpoll
	ds_store_b32 v1, v0
	ds_store_b32 v3, v4 offset:2048         ; <<< other end
	s_endpgm
.Lpoll:
	ds_load_b32 v5, v3 offset:2048          ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_lg_u32 s10, 1
	s_cbranch_scc1 .Lpoll
	v_xor_b32_e32 v2, 0x80, v1
	ds_load_b32 v5, v2
	s_wait_dscnt 0x0
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
