; launch: two-waves
; What a wave has copied itself it knows to be there by its last wait. The other wave, which reads it as well, and later, knows of
; the wait before the barrier alone, and that one is for all copies.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	v_xor_b32_e32 v2, 0x80, v1              ; the other's
	.else
	v_mov_b32_e32 v2, v1                    ; its own
	.endif
	v_mov_b32_e32 v5, 0
	s_mov_b32 s10, 0
	s_mov_b32 s11, 0
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	s_wait_asynccnt 0x0
.Lround:
	s_barrier_signal -1
	s_barrier_wait -1
	s_xor_b32 s12, s11, 0x400
	v_add_nc_u32_e32 v3, s12, v1
	global_load_async_to_lds_b32 v3, v1, s[4:5]
	s_wait_asynccnt 0x0                     ; <<< advice[W2] over-strong <<< hint: s_wait_asynccnt 1
	v_add_nc_u32_e32 v3, s11, v1
	v_add_nc_u32_e32 v4, s11, v2
	ds_load_b32 v3, v3
	ds_load_b32 v4, v4
	s_wait_dscnt 0x0
	v_add3_u32 v5, v5, v3, v4
	s_mov_b32 s11, s12
	s_add_co_u32 s10, s10, 1
	s_cmp_lt_u32 s10, 4
	s_cbranch_scc1 .Lround
	.if RIGHT
	.else
	s_wait_asynccnt 0x0
	.endif
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "two-waves-gfx1250.inc"
	.include "end-gfx1250.inc"
