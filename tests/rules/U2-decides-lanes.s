; What nobody has written decides which lanes store, without a branch.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	.endif
	ds_load_b32 v3, v1                      ; <<< error[U2] uninitialized
	s_wait_dscnt 0x0
	v_cmp_ne_u32_e32 vcc_lo, 0, v3
	s_and_saveexec_b32 s10, vcc_lo
	global_store_b32 v1, v0, s[6:7]         ; <<< other end
	s_endpgm
	.include "end-gfx1250.inc"
