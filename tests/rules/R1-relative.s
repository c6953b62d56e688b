; A register that M0 says is read before the load into it is waited for; the one that the instruction names is not loaded.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v13, v1, s[4:5]         ; <<< other end
	v_mov_b32_e32 v10, 7
	s_mov_b32 m0, 3
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	v_movrels_b32_e32 v3, v10               ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
