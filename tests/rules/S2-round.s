; launch: two-waves
; No barrier stands between a round's wait and the reads of what it has waited for; the one at the end of a round is for what
; is overwritten next. What is missing is that barrier, not a wait before the other one.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	v_mov_b32_e32 v5, 0
	s_mov_b32 s10, 0                        ; slot to read
	s_mov_b32 s12, 0
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
.Lround:
	s_xor_b32 s11, s10, 0x400
	v_add_nc_u32_e32 v3, s11, v1
	global_load_async_to_lds_b32 v3, v1, s[4:5]
	s_wait_asynccnt 0x1
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	v_add_nc_u32_e32 v4, s10, v2
	ds_load_b32 v4, v4                      ; <<< error[S2] missing-sync
	s_mov_b32 s10, s11
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v4, v5
	s_barrier_signal -1
	s_barrier_wait -1
	s_add_co_i32 s12, s12, 1
	s_cmp_lt_u32 s12, 6
	s_cbranch_scc1 .Lround
	s_wait_asynccnt 0x0
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
