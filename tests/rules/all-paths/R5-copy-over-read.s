; A ring of two buffers for each wave: the copy is to the one that is read next, or to the one whose read is in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshrrev_b32_e32 v2, 6, v0
	v_and_b32_e32 v3, 63, v0
	v_readfirstlane_b32 s10, v2
	v_lshlrev_b32_e32 v2, 4, v3
	v_mov_b32_e32 v8, 0
	s_lshl_b32 s10, s10, 11
	s_mov_b32 m0, s10
	s_nop 0
	global_load_lds_dwordx4 v2, s[4:5]
	s_waitcnt vmcnt(0)
.Lloop:
	v_add_u32_e32 v3, s10, v2
	ds_read_b128 v[4:7], v3                 ; <<< other end
	.if RIGHT
	s_xor_b32 s10, s10, 0x400
	.endif
	s_mov_b32 m0, s10
	s_nop 0
	global_load_lds_dwordx4 v2, s[4:5]      ; <<< error[R5] missing-wait <<< hint: s_waitcnt lgkmcnt(0)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v8, v8, v4
	s_waitcnt vmcnt(0)
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop
	global_store_dword v1, v8, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
