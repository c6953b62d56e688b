; LDS that nobody has written is read, and what was read stored.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	ds_store_b32 v1, v0
	.endif
	ds_load_b32 v2, v1                      ; <<< error[U2] uninitialized
	s_wait_dscnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
