; The result of a product is added to while it is made, beside other vector instructions.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], 0    ; <<< other end
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	.if RIGHT
	v_nop
	v_nop
	.endif
	v_add_f32_e32 v16, 1.0, v16                         ; <<< error[N1] hazard <<< hint: 2 v_nop
	s_endpgm
	.include "end-gfx1250.inc"
