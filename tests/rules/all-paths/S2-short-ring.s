; Two waves fill a ring, each its half, two tiles ahead, and read the other half of the tile that has come. In a ring of two
; buffers the copy goes where the read still is; in one of three it does not.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	.if RIGHT
	.set RING, 3 * 512
	.else
	.set RING, 2 * 512
	.endif
	v_readfirstlane_b32 s10, v0
	v_xor_b32_e32 v2, 0x100, v1
	v_mov_b32_e32 v4, 0
	s_mov_b32 s12, 6
	s_lshl_b32 s10, s10, 2
	s_mov_b32 m0, s10
	s_nop 0
	global_load_lds_dword v1, s[4:5]
	s_add_u32 m0, s10, 512
	s_nop 0
	global_load_lds_dword v1, s[4:5] offset:512
	s_mov_b32 s13, 0                        ; where the tile is that is read
	s_mov_b32 s14, 1024 % RING              ; and the one that is copied
.Lround:
	s_waitcnt vmcnt(1)
	s_barrier
	s_add_u32 m0, s10, s14
	s_nop 0
	global_load_lds_dword v1, s[4:5]        ; <<< other end
	v_add_u32_e32 v5, s13, v2
	ds_read_b32 v3, v5                      ; <<< error[S2] missing-sync <<< hint: one buffer more
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v3, v4
	s_add_u32 s13, s13, 512
	s_cmp_eq_u32 s13, RING
	s_cselect_b32 s13, 0, s13
	s_add_u32 s14, s14, 512
	s_cmp_eq_u32 s14, RING
	s_cselect_b32 s14, 0, s14
	s_sub_u32 s12, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lround
	s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
