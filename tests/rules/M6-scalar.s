; A scalar load of what the wave has stored: the scalar cache may hold what was there before, and only what empties that cache
; helps.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 7
	global_store_dword v1, v2, s[6:7]       ; <<< other end
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	.if RIGHT
	s_dcache_inv
	s_waitcnt lgkmcnt(0)
	.endif
	s_load_dword s10, s[6:7], 0x8           ; <<< error[M6] missing-invalidate <<< hint: s_dcache_inv and its wait
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s10
	global_store_dword v1, v3, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx950.inc"
