; A register of an accumulator was never written, and what is added to it is stored. What comes of the others is not in doubt, and
; of one that is not, nothing is stored.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.irp n, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
	v_mov_b32_e32 v\n, 0
	.endr
	.irp n, 24, 26, 27, 28, 29, 30
	v_mov_b32_e32 v\n, 0
	.endr
	.if RIGHT
	v_mov_b32_e32 v25, 0
	.endif
	v_wmma_f32_16x16x32_f16 v[24:31], v[8:15], v[16:23], v[24:31] ; <<< error[U1] uninitialized
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	global_store_b32 v1, v24, s[6:7]
	global_store_b32 v1, v25, s[6:7]        ; <<< other end
	s_endpgm
	.include "end-gfx1250.inc"
