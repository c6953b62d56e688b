; launch: two-groups
; Two workgroups store to the same place. The stores of this processor do not say whether they are atomic.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_add_nc_u32_e32 v3, s9, v0
	.if RIGHT
	s_lshl_b32 s10, s9, 10
	v_add_nc_u32_e32 v1, s10, v1
	.endif
	global_store_b32 v1, v3, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
	.include "end-gfx1100.inc"
