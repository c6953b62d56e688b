; launch: one-wave-of-64
; One wait is missing for a scalar load and a load of LDS, which one counter counts.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_load_dword s10, s[4:5], 0x0           ; <<< other end
	ds_read_b32 v2, v1
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.endif
	v_add_u32_e32 v3, s10, v0               ; <<< hint: s_waitcnt lgkmcnt(0) <<< error[R1] missing-wait
	v_add_u32_e32 v3, v2, v3
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
