; Two waves of which one waits for a flag in LDS that the other stores: no barrier is needed. Without the loop it is.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 1
	v_readfirstlane_b32 s8, v0
	s_nop 4
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lreader
	ds_write_b32 v4, v5                     ; <<< other end
	s_waitcnt lgkmcnt(0)
	s_endpgm
.Lreader:
	ds_read_b32 v3, v4                      ; <<< error[S2] missing-sync
	s_waitcnt lgkmcnt(0)
	v_and_b32_e32 v6, 1, v3
	s_nop 0
	v_readfirstlane_b32 s10, v6
	s_nop 4
	s_cmp_eq_u32 s10, 0
	.if RIGHT
	s_cbranch_scc1 .Lreader
	.endif
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
