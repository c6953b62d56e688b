; Two waves copy a tile, each its half, and read the other half at once: neither a barrier nor a wait stands in between, and
; one without the other would not do.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_readfirstlane_b32 s10, v0
	v_xor_b32_e32 v4, 0x100, v1
	s_lshl_b32 s10, s10, 2
	s_mov_b32 m0, s10
	s_nop 0
	global_load_lds_dword v1, s[4:5]        ; <<< other end
	global_load_dword v5, v1, s[4:5]
	.if RIGHT
	s_waitcnt vmcnt(1)
	s_barrier
	.endif
	ds_read_b32 v2, v4                      ; <<< error[S2] missing-sync <<< hint: s_waitcnt vmcnt(1) and a barrier before
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e32 v2, v2, v5
	global_store_dword v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
