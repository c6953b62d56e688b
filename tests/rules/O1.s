; Loads beyond the buffer.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	global_load_b32 v2, v1, s[4:5]
	.else
	global_load_b32 v2, v1, s[4:5] offset:4096 ; <<< error[O1] out-of-bounds
	.endif
	s_wait_loadcnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
