; launch: one-wave
; A wave has a ring that is one buffer too short: it copies the tile after next over the one that it has yet to read, and waits for
; each copy one behind the other. A wait before the read would bring it the wrong tile.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.set END, (2 + RIGHT) * 256
	v_mov_b32_e32 v5, 0
	s_mov_b32 s10, 0                        ; the tile that is read
	s_mov_b32 s12, 6
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	v_add_nc_u32_e32 v4, 256, v1
	global_load_async_to_lds_b32 v4, v1, s[4:5]
	s_cmp_eq_u32 RIGHT, 1
	s_cselect_b32 s11, 512, 0               ; the one that is copied
.Ltile:
	s_wait_asynccnt 0x1
	v_add_nc_u32_e32 v4, s11, v1
	global_load_async_to_lds_b32 v4, v1, s[4:5] ; <<< other end
	s_add_co_i32 s11, s11, 256
	s_cmp_eq_u32 s11, END
	s_cselect_b32 s11, 0, s11
	v_add_nc_u32_e32 v3, s10, v1
	ds_load_b32 v3, v3                      ; <<< error[R4] missing-wait <<< hint: one buffer more, or the copy behind the read and its wait
	s_add_co_i32 s10, s10, 256
	s_cmp_eq_u32 s10, END
	s_cselect_b32 s10, 0, s10
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v3
	s_add_co_i32 s12, s12, -1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Ltile
	s_wait_asynccnt 0x0
	v_add_nc_u32_e32 v3, s10, v1
	ds_load_b32 v3, v3
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v3
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
