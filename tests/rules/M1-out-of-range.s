; launch: two-waves-of-64
; A wave stores what it has loaded while another one stored over it, by way of a buffer: no race where the buffer's range
; masks the store away, as compilers have it for work that all waves do.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_readfirstlane_b32 s8, v0
	s_mov_b32 s12, s6
	s_and_b32 s13, s7, 0xffff
	s_movk_i32 s14, 0x1000
	s_mov_b32 s15, 0x27000
	v_and_b32_e32 v3, 0xfc, v1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	buffer_store_dword v0, v3, s[12:15], 0 offen ; <<< other end
	s_endpgm
.Lother:
	s_movk_i32 s10, 300
.Lslow:
	s_add_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	buffer_load_dword v4, v3, s[12:15], 0 offen ; <<< error[M1] missing-sync
	.if RIGHT
	v_bfrev_b32_e32 v3, 1
	.endif
	s_waitcnt vmcnt(0)
	buffer_store_dword v4, v3, s[12:15], 0 offen offset:2048
	s_endpgm
	.include "end-gfx950.inc"
