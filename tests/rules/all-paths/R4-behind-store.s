; A wave stores, and copies two tiles to LDS. Before the barrier the first copy has to be over, and that the wait may not leave
; more in flight is not forgotten for the store before it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshrrev_b32_e32 v2, 6, v0
	v_xor_b32_e32 v3, 0x100, v1
	v_readfirstlane_b32 s8, v2
	s_lshl_b32 s8, s8, 8
	global_store_dword v1, v0, s[6:7]
	s_mov_b32 m0, s8
	s_nop 0
	global_load_lds_dword v1, s[4:5]        ; <<< other end
	s_add_u32 m0, s8, 0x200
	s_nop 0
	global_load_lds_dword v1, s[4:5]
	.if RIGHT
	s_waitcnt vmcnt(1)
	.else
	s_waitcnt vmcnt(2)
	.endif
	s_barrier                               ; <<< hint: s_waitcnt vmcnt(1)
	ds_read_b32 v4, v3                      ; <<< error[R4] missing-wait
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	ds_read_b32 v5, v3 offset:512
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v4, v5
	global_store_dword v1, v4, s[6:7] offset:2048
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
