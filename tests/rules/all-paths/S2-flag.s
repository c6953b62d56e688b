; A wave copies to LDS and sets a flag in LDS; another one polls it till it is not zero, and reads the copy: no barrier is
; needed. Without the loop it is.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 1
	v_readfirstlane_b32 s8, v0
	s_nop 4
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lreader
	s_mov_b32 m0, 256
	s_nop 0
	global_load_lds_dword v1, s[4:5]        ; <<< 2 other end
	s_waitcnt vmcnt(0)
	ds_write_b32 v4, v5                     ; <<< 1 other end
	s_waitcnt lgkmcnt(0)
	s_endpgm
.Lreader:
	ds_read_b32 v3, v4                      ; <<< 1 error[S2] missing-sync
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s10, v3
	s_nop 4
	s_cmp_eq_u32 s10, 0
	.if RIGHT
	s_cbranch_scc1 .Lreader
	.endif
	ds_read_b32 v6, v1                      ; <<< 2 error[S2] missing-sync
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
