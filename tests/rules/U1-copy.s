; A register that nobody has written is copied, and the copy is stored.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	v_mov_b32_e32 v9, 0
	.endif
	v_mov_b32_e32 v10, 1
	v_mov_b32_e32 v10, v9
	v_mov_b32_e32 v11, v10
	global_store_b32 v1, v11, s[6:7]        ; <<< error[U1] uninitialized
	s_endpgm
	.include "end-gfx1250.inc"
