; Loads into the two halves of a register leave each other alone, and so does a store of the half that no load writes; what
; computes writes the whole register, and a load that another counter counts may come between.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	ds_store_b32 v1, v3
	s_wait_dscnt 0x0
	global_load_d16_b16 v2, v1, s[4:5]
	global_load_d16_hi_b16 v2, v1, s[4:5] offset:2
	global_load_d16_hi_b16 v3, v1, s[4:5]
	global_store_b16 v1, v3, s[6:7] offset:2
	global_load_d16_hi_b16 v4, v1, s[4:5]   ; <<< other end
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	ds_load_u16_d16 v4, v1                  ; <<< error[R2] missing-wait <<< hint: s_wait_loadcnt 0
	.if RIGHT
	s_wait_dscnt 0x0
	.else
	s_wait_loadcnt_dscnt 0x0
	.endif
	v_add_nc_u32_e32 v2, v2, v4
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
