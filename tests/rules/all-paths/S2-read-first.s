; A buffer that two waves fill, each its half, and read crosswise, round by round. The barrier that is missing is the one
; behind the read: the copy of the next round overwrites what another wave still reads.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_readfirstlane_b32 s10, v0
	v_xor_b32_e32 v2, 0x100, v1
	v_mov_b32_e32 v4, 0
	s_mov_b32 s12, 3
	s_lshl_b32 s10, s10, 2
	s_mov_b32 m0, s10
	s_nop 0
	global_load_lds_dword v1, s[4:5]
.Lround:
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b32 v3, v2                      ; <<< other end
	s_waitcnt lgkmcnt(0)                    ; <<< hint: a barrier between the two accesses, behind
	v_add_u32_e32 v4, v3, v4
	.if RIGHT
	s_barrier
	.endif
	global_load_lds_dword v1, s[4:5]        ; <<< error[S2] missing-sync
	s_sub_u32 s12, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lround
	s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
