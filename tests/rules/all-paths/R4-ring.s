; A ring of three buffers: the copy of the next tile but one is issued, and that of this tile is to be done. One that is
; less in flight is the buffer's own; the others are left in flight. The ring's place is counted modulo 3.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v4, 0
	s_mov_b32 s10, 0                                    ; the tile
	s_mov_b32 s11, 0                                    ; its buffer
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	v_add_nc_u32_e32 v5, 0x100, v1
	global_load_async_to_lds_b32 v5, v1, s[4:5]         ; <<< other end
.Lloop:
	s_add_co_i32 s12, s11, 2
	s_cmp_ge_u32 s12, 3
	s_cselect_b32 s13, 3, 0
	s_sub_co_i32 s12, s12, s13
	s_lshl_b32 s13, s12, 8
	v_add_nc_u32_e32 v5, s13, v1
	global_load_async_to_lds_b32 v5, v1, s[4:5]         ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x2
	.else
	s_wait_asynccnt 0x3
	.endif
	s_lshl_b32 s13, s11, 8
	v_add_nc_u32_e32 v6, s13, v1
	ds_load_b32 v2, v6                                  ; <<< error[R4] missing-wait <<< hint: s_wait_asynccnt 2
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v4, v4, v2
	s_add_co_i32 s11, s11, 1
	s_cmp_ge_u32 s11, 3
	s_cselect_b32 s11, 0, s11
	s_add_co_i32 s10, s10, 1
	s_cmp_lt_u32 s10, 7
	s_cbranch_scc1 .Lloop
	s_wait_asynccnt 0x0
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
