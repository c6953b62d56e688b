; launch: two-groups
; Two workgroups store different values to the same addresses, or in the twin to their own.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mul_i32 s10, s9, 0x80
	.if RIGHT
	v_add_nc_u32_e32 v1, s10, v1
	.endif
	v_mov_b32_e32 v2, s9
	global_store_b32 v1, v2, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
	.include "end-gfx1250.inc"
