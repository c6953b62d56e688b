; launch: two-waves
; A ring of three slots with two barriers a round, which lacks the wait before the first one: what comes round again is the same
; mistake, and as many copies stay in flight as before.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	v_add_nc_u32_e32 v3, 0x100, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	global_load_async_to_lds_b32 v3, v1, s[4:5]
	v_mov_b32_e32 v5, 0
	s_mov_b32 s10, 0                        ; slot to read
	s_mov_b32 s11, 0x200                    ; slot to fill
	s_mov_b32 s12, 0
.Lround:
	.if RIGHT
	s_wait_asynccnt 0x1
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_asynccnt 1
	s_barrier_wait -1
	v_add_nc_u32_e32 v3, s11, v1
	global_load_async_to_lds_b32 v3, v1, s[4:5]
	v_add_nc_u32_e32 v4, s10, v2
	ds_load_b32 v4, v4                      ; <<< error[R4] missing-wait
	s_mov_b32 s13, s10
	s_add_co_i32 s10, s10, 0x100
	s_cmp_eq_u32 s10, 0x300
	s_cselect_b32 s10, 0, s10
	s_mov_b32 s11, s13
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
