; launch: two-waves
; seed: 0
; A wave copies over what both waves may still be reading, itself and the other: that it does so itself says nothing of the wait
; before the barrier, which the other one lacks.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v2, 0x7f, v1
	v_mov_b32_e32 v5, 0
	s_mov_b32 s12, 0
	global_load_async_to_lds_b32 v1, v1, s[4:5]
.Lround:
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v4, v2                      ; <<< other end
	s_add_co_i32 s12, s12, 1
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	v_add_nc_u32_e32 v5, v4, v5
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< error[S1] missing-wait
	s_cmp_lt_u32 s12, 6
	s_cbranch_scc1 .Lround
	s_wait_asynccnt 0x0
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
