; launch: two-groups
; A sum of products that nobody has set to 0, by itself and as half of a pair with a move.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mul_i32 s10, s9, 0x100
	v_add_nc_u32_e32 v1, s10, v1            ; workgroups keep apart
	v_mov_b32_e32 v2, 1.0
	.if RIGHT
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v10, 0
	.endif
	v_fmac_f32_e32 v8, v2, v2               ; <<< error[U1] uninitialized
	v_dual_mov_b32 v9, v2 :: v_dual_fmac_f32 v10, v2, v2 ; <<< error[U1] uninitialized
	global_store_b32 v1, v8, s[6:7]         ; <<< other end
	global_store_b32 v1, v10, s[6:7] offset:128 ; <<< other end
	s_endpgm
	.include "end-gfx1250.inc"
