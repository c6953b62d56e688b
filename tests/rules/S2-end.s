; launch: two-waves
; Nothing orders a wave behind another one's copy, which is not over at the end of its wave either: that is one mistake.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	s_endpgm
.Lother:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	v_xor_b32_e32 v6, 0x80, v1
	ds_load_b32 v8, v6                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v1, v8, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
