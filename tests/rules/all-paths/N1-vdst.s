; The result of a product is used too early, but behind a wait for what vector arithmetic writes, and what is stored is written.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], 0    ; <<< other end
	.if RIGHT
	s_wait_alu depctr_va_vdst(0)
	.else
	s_wait_alu depctr_va_vdst(1)
	.endif
	v_add_f32_e32 v16, 1.0, v16                         ; <<< error[N1] hazard <<< hint: 4 v_nop
	v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], 0
	global_store_b32 v1, v16, s[6:7]
	v_add_f32_e32 v16, 1.0, v16
	s_endpgm
	.include "end-gfx1250.inc"
