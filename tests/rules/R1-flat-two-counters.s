; launch: one-wave-of-64
; without launch
; A FLAT load is counted twice, as it may go to memory and to LDS: a wait for both counters is missing.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[10:11], src_shared_base
	v_mov_b32_e32 v3, s11
	v_mov_b32_e32 v2, v1
	flat_load_dword v5, v[2:3]              ; <<< other end
	.if RIGHT
	s_waitcnt vmcnt(0) lgkmcnt(0)
	.endif
	v_add_u32_e32 v4, 1, v5                ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0) lgkmcnt(0)
	.if !RIGHT
	s_waitcnt vmcnt(0) lgkmcnt(0)
	.endif
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
