; CDNA 1: moves to AGPRs, products of 8 passes, moves back, and what becomes of C.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx908"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 0                                 ; <<< 1 other end
	.if RIGHT
	s_nop 1
	.else
	s_nop 0
	.endif
	v_accvgpr_write_b32 a0, v2                          ; <<< 1 error[N1] hazard <<< 1 hint: s_nop 0
	v_accvgpr_write_b32 a1, v2
	v_accvgpr_write_b32 a2, v2
	v_accvgpr_write_b32 a3, v2                          ; <<< 2 other end
	.if RIGHT
	s_nop 0
	.endif
	v_mfma_f32_16x16x4f32 a[0:3], v2, v2, a[0:3]        ; <<< 2 error[N1] hazard <<< 2 hint: s_nop 0
	v_mfma_f32_16x16x4f32 a[0:3], v2, v2, a[0:3]        ; the same C: at once <<< 3 other end
	s_nop 7
	.if RIGHT
	s_nop 1
	.else
	s_nop 0
	.endif
	v_accvgpr_read_b32 v3, a3                           ; <<< 3 error[N1] hazard <<< 3 hint: s_nop 0 <<< 4 other end
	.if RIGHT
	s_nop 1
	.endif
	global_store_dword v1, v3, s[6:7]                   ; <<< 4 error[N1] hazard <<< 4 hint: s_nop 1
	v_mfma_f32_16x16x4f32 a[4:7], v2, v2, a[0:3]        ; <<< 5 other end
	s_nop 3
	.if RIGHT
	s_nop 0
	.endif
	v_accvgpr_write_b32 a0, v2                          ; <<< 5 error[N1] hazard <<< 5 hint: s_nop 0
	s_endpgm
	.include "end-gfx908.inc"
