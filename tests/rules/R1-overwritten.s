; launch: one-wave
; What is computed from a register too early is written over what is yet to be loaded there, and then that comes: whatever is done
; with it, here as an address in LDS where nobody has written, comes of the one wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0
	v_mov_b32_e32 v2, 0
	global_load_b32 v2, v1, s[4:5] offset:2048 ; <<< other end
	s_wait_dscnt 0x0
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	v_and_b32_e32 v2, 0, v2                 ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	.ifeq RIGHT
	s_wait_loadcnt 0x0
	.endif
	ds_load_b32 v6, v2
	s_wait_dscnt 0x0
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
