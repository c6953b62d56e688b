; launch: one-wave-of-64
; A FLAT load from LDS is counted with what goes to memory, and may be over before an older load from there: a wait that leaves one
; in flight says nothing of either, and one that leaves none is not too strong.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[10:11], src_shared_base
	v_mov_b32_e32 v3, s11
	v_mov_b32_e32 v2, v1
	global_load_dword v4, v1, s[4:5]        ; <<< other end
	flat_load_dword v5, v[2:3]
	.if RIGHT
	s_waitcnt vmcnt(0)
	.else
	s_waitcnt vmcnt(1)                      ; <<< wait
	.endif
	v_add_u32_e32 v4, 1, v4                 ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0)
	s_waitcnt lgkmcnt(0)
	.if !RIGHT
	s_waitcnt vmcnt(0)
	.endif
	v_add_u32_e32 v4, v4, v5
	global_store_dword v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
