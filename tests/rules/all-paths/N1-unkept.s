; Three dependencies that the manual's table has and that kernels in use do not keep.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 0
	s_mov_b32 m0, 0                                    ; <<< other end
	.if RIGHT
	s_nop 0
	.endif
	global_load_lds_dword v2, s[4:5]                    ; <<< warning[N1] hazard <<< hint: s_nop 0
	v_readlane_b32 s10, v2, 0                          ; <<< other end
	.if RIGHT
	s_nop 1
	.endif
	v_mul_lo_u32 v3, v2, s10                            ; <<< warning[N1] hazard <<< hint: s_nop 1
	v_cmpx_eq_u32_e64 exec, v3, v2                      ; <<< other end
	.if RIGHT
	s_nop 3
	.endif
	v_readfirstlane_b32 s11, v2                         ; <<< warning[N1] hazard <<< hint: s_nop 3
	s_mov_b64 exec, -1
	s_waitcnt vmcnt(0)
	s_endpgm
	.include "end-gfx950.inc"
