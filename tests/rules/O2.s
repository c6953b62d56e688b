; An atomic at an address that is no multiple of its size.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 1
	ds_store_b32 v1, v2
	.if RIGHT
	ds_add_u32 v1, v2
	.else
	s_mov_b32 exec_lo, 1
	ds_add_u32 v1, v2 offset:2              ; <<< error[O2] hazard
	.endif
	s_wait_dscnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
