; launch: two-waves
; What a loop has copied is needed behind it, past a branch, by the wave itself and by another one, and before that there is a
; barrier: the wait belongs before that, not into the loop.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v6, v1
	v_xor_b32_e32 v5, 0x80, v1
	s_mov_b32 s10, 2
.Lround:
	global_load_async_to_lds_b32 v6, v1, s[4:5]   ; <<< other end
	v_add_nc_u32_e32 v6, 0x100, v6
	s_sub_co_i32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lround
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_asynccnt 0
	s_barrier_wait -1
	s_cmp_eq_u32 s8, 7
	s_cbranch_scc1 .Ldone
	ds_load_b32 v3, v1 offset:256           ; <<< error[R4] missing-wait
	ds_load_b32 v4, v5 offset:256
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v4
	global_store_b32 v1, v3, s[6:7]
.Ldone:
	s_endpgm
	.include "end-gfx1250.inc"
