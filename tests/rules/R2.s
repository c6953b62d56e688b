; A load's register is written while the load is still to write it.
; without launch

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	v_mov_b32_e32 v2, 7                     ; <<< error[R2] missing-wait <<< hint: s_wait_loadcnt 0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
