; A load into one half of a register does not hide an older one in flight into the other half.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_d16_b16 v4, v1, s[4:5]      ; <<< other end
	global_load_d16_hi_b16 v4, v1, s[4:5] offset:2
	.if RIGHT
	s_wait_loadcnt 0x1
	.endif
	global_store_b16 v1, v4, s[6:7]         ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 1
	s_wait_loadcnt 0x0
	global_store_d16_hi_b16 v1, v4, s[6:7] offset:2
	s_endpgm
	.include "end-gfx1250.inc"
