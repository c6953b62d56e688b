; The result of a product of 8 passes is stored: 12 wait states on CDNA 4.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	s_nop 1
	v_mfma_f32_32x32x8_f16 v[4:19], v[2:3], v[2:3], 0   ; <<< other end
	s_nop 7
	.if RIGHT
	s_nop 3
	.else
	s_nop 2
	.endif
	global_store_dword v1, v4, s[6:7]                   ; <<< error[N1] hazard <<< hint: s_nop 0
	s_endpgm
	.include "end-gfx950.inc"
