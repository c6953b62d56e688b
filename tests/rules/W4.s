; launch: one-wave-of-64
; The first of more reads than lgkmcnt can count is used without a wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v2, 7
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v3, v1                      ; <<< other end
	.rept 15
	ds_read_b32 v4, v1
	s_nop 0
	.endr
	.if RIGHT
	s_waitcnt lgkmcnt(14)
	.endif
	v_add_u32_e32 v3, 1, v3                 ; <<< advice[W4] missing-wait <<< hint: s_waitcnt lgkmcnt(14)
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
