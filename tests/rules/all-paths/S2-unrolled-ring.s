; A ring of three buffers, unrolled, that two waves fill, each its half, and read crosswise. One barrier is missing: the wait
; that should stand before it stands there, and what shows in other stages, and behind the barrier of the round before, is the
; same mistake.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	.macro copy slot
	s_add_u32 m0, s10, \slot
	s_nop 0
	global_load_lds_dword v1, s[4:5]
	.endm
	.macro read slot
	ds_read_b32 v3, v2 offset:\slot
	.endm
	.macro add
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v3, v4
	.endm
	v_readfirstlane_b32 s10, v0
	v_xor_b32_e32 v2, 0x100, v1
	v_mov_b32_e32 v4, 0
	s_mov_b32 s12, 3
	s_lshl_b32 s10, s10, 2
	copy 0                                  ; <<< other end
	copy 512
.Lround:
	s_waitcnt vmcnt(1)                      ; <<< hint: a barrier between the two accesses, behind
	.if RIGHT
	s_barrier
	.endif
	read 0                                  ; <<< error[S2] missing-sync
	copy 1024
	add
	s_waitcnt vmcnt(1)
	s_barrier
	read 512
	copy 0                                  ; <<< other end
	add
	s_waitcnt vmcnt(1)
	s_barrier
	read 1024
	copy 512
	add
	s_sub_u32 s12, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lround
	s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
