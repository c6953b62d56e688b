; The upper bits of VGPR numbers decide which register is read: v258 is loaded, and read two banks on.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_set_vgpr_msb 0x40
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	.if RIGHT
	s_set_vgpr_msb 0x4002
	.else
	s_set_vgpr_msb 0x4001
	.endif
	v_mov_b32_e32 v3, v2                    ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	s_wait_loadcnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
