; launch: two-waves
; What a round reads is added up in the next one, or behind the loop. Nothing waits for it at the end of the round: the next
; round's copy overwrites what may still be read, and the sum behind the loop takes what may not be there. That is one wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	s_mov_b32 s10, 0                        ; slot to read
	s_mov_b32 s12, 0
	global_load_async_to_lds_b32 v1, v1, s[4:5]
.Lround:
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_xor_b32 s11, s10, 0x400
	v_add_nc_u32_e32 v3, s11, v1
	global_load_async_to_lds_b32 v3, v1, s[4:5] ; <<< error[S1] missing-wait
	.if !RIGHT
	s_wait_dscnt 0x0
	.endif
	v_add_nc_u32_e32 v5, v4, v5
	v_add_nc_u32_e32 v3, s10, v2
	ds_load_b32 v4, v3                      ; <<< other end
	s_mov_b32 s10, s11
	s_add_co_i32 s12, s12, 1
	s_cmp_lt_u32 s12, 6
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_cbranch_scc1 .Lround                  ; <<< hint: s_wait_dscnt 0
	s_wait_asynccnt 0x0
	v_add_nc_u32_e32 v5, v4, v5
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
