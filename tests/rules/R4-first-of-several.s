; launch: two-groups
; What a scalar load reads is overwritten by another store in each workgroup: one wait, before the first of them, is missing.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mul_i32 s13, s9, 0x300
	s_lshl_b32 s10, s9, 9
	v_add_nc_u32_e32 v2, s10, v1
	s_load_b32 s12, s[6:7], s13 offset:0x0  ; <<< other end
	.if RIGHT
	s_wait_kmcnt 0x0
	.endif
	global_store_b32 v2, v0, s[6:7]         ; <<< error[R4] missing-wait <<< hint: s_wait_kmcnt 0
	global_store_b32 v2, v0, s[6:7] offset:256
	.ifeq RIGHT
	s_wait_kmcnt 0x0
	.endif
	v_mov_b32_e32 v3, s12
	global_store_b32 v2, v3, s[6:7] offset:128
	s_endpgm
	.include "end-gfx1250.inc"
