; launch: two-waves
; A ring one buffer too short: the copy of the tile after next goes where the tile is that others have yet to read. Each copy is
; waited for, one behind the other; no wait for this one would help.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.set END, (2 + RIGHT) * 256
	v_xor_b32_e32 v2, 0x80, v1
	v_mov_b32_e32 v5, 0
	s_mov_b32 s10, 0                        ; the tile that is read
	s_mov_b32 s11, 0                        ; the one that is copied
	s_mov_b32 s12, 6
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	v_add_nc_u32_e32 v4, 256, v1
	global_load_async_to_lds_b32 v4, v1, s[4:5]
	s_cmp_eq_u32 RIGHT, 1
	s_cselect_b32 s11, 512, 0
.Ltile:
	s_wait_asynccnt 0x1
	s_barrier_signal -1
	s_barrier_wait -1
	v_add_nc_u32_e32 v4, s11, v1
	global_load_async_to_lds_b32 v4, v1, s[4:5] ; <<< other end
	s_add_co_i32 s11, s11, 256
	s_cmp_eq_u32 s11, END
	s_cselect_b32 s11, 0, s11
	v_add_nc_u32_e32 v3, s10, v2
	ds_load_b32 v3, v3                      ; <<< error[S2] missing-sync <<< hint: one buffer more, or the copy behind the read, its wait and a barrier
	s_add_co_i32 s10, s10, 256
	s_cmp_eq_u32 s10, END
	s_cselect_b32 s10, 0, s10
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v3
	s_add_co_i32 s12, s12, -1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Ltile
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	v_add_nc_u32_e32 v3, s10, v2
	ds_load_b32 v3, v3
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v3
	s_add_co_i32 s10, s10, 256
	s_cmp_eq_u32 s10, END
	s_cselect_b32 s10, 0, s10
	v_add_nc_u32_e32 v3, s10, v2
	ds_load_b32 v3, v3
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v3
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
