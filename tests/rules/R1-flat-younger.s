; launch: one-wave-of-64
; without launch
; A FLAT load is in flight, and a younger load: of the two the FLAT one may be counted down last, wherever it goes, so that a wait that
; leaves one in flight says nothing of it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	flat_load_dword v5, v[2:3]              ; <<< other end
	global_load_dword v6, v1, s[4:5]
	.if RIGHT
	s_waitcnt vmcnt(0) lgkmcnt(0)
	.endif
	v_add_u32_e32 v4, 1, v5                ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0) lgkmcnt(0)
	.if !RIGHT
	s_waitcnt vmcnt(0) lgkmcnt(0)
	.endif
	v_add_u32_e32 v4, v4, v6
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
