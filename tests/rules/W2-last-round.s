; launch: two-waves
; A wave reads what it has copied two rounds ago. Of the last round the other wave reads behind a barrier what was copied one round
; before: the wait behind the barrier, of which it does not know, is none for that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, v1
	s_mov_b32 s10, 0
	global_load_async_to_lds_b32 v6, v1, s[4:5]
	v_add_nc_u32_e32 v6, 0x100, v6
	global_load_async_to_lds_b32 v6, v1, s[4:5]
.Lround:
	v_add_nc_u32_e32 v6, 0x100, v6
	global_load_async_to_lds_b32 v6, v1, s[4:5]
	.if RIGHT
	s_wait_asynccnt 0x1
	.else
	s_wait_asynccnt 0x0                     ; <<< advice[W2] over-strong <<< hint: s_wait_asynccnt 1
	.endif
	v_subrev_nc_u32_e32 v3, 0x200, v6
	ds_load_b32 v4, v3
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v4
	s_add_co_u32 s10, s10, 1
	s_cmp_lt_u32 s10, 4
	s_cbranch_scc1 .Lround
	s_barrier_signal -1
	s_barrier_wait -1
	s_wait_asynccnt 0x0
	ds_load_b32 v3, v2 offset:1024
	ds_load_b32 v4, v6
	s_wait_dscnt 0x0
	v_add3_u32 v5, v5, v3, v4
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "two-waves-gfx1250.inc"
	.include "end-gfx1250.inc"
