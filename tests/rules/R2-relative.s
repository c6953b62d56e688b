; A register that M0 says is written while the load into it is in flight; that into the one that the instruction names is over.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v10, 7
	s_mov_b32 m0, 3
	global_load_b32 v13, v1, s[4:5]         ; <<< other end
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	v_movreld_b32_e32 v10, v0               ; <<< error[R2] missing-wait <<< hint: s_wait_loadcnt 0
	global_store_b32 v1, v13, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
