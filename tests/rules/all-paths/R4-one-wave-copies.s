; The first of two waves copies a tile ahead of the one that both read. Its wait is one too weak: it is missing before the
; barrier, as behind it the other wave would learn nothing by it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	.macro copy
	s_mov_b32 m0, s11
	s_nop 0
	global_load_lds_dword v1, s[4:5]
	global_load_lds_dword v1, s[4:5] offset:256
	s_xor_b32 s11, s11, 0x200
	.endm
	v_readfirstlane_b32 s10, v0
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v4, 0
	s_mov_b32 s11, 0
	s_mov_b32 s12, 5
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lround
	copy                                    ; <<< other end
.Lround:
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lmeet
	copy                                    ; <<< other end
	.if RIGHT
	s_waitcnt vmcnt(2)
	.else
	s_waitcnt vmcnt(3)
	.endif
.Lmeet:
	s_barrier                               ; <<< hint: s_waitcnt vmcnt(2)
	ds_read_b32 v3, v2                      ; <<< error[R4] missing-wait
	v_xor_b32_e32 v2, 0x200, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_u32_e32 v4, v3, v4
	s_sub_u32 s12, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lround
	s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
