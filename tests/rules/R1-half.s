; A load into one half of a register does not wait for the other half's; what reads the whole does.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	global_load_d16_u8 v4, v1, s[4:5]
	global_load_d16_hi_u8 v4, v1, s[4:5] offset:1 ; <<< other end
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	v_add_nc_u32_e32 v5, 1, v4              ; <<< error[R1] missing-wait
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1100.inc"
