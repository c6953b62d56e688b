; model: xcnt=strict
; A scalar load writes what a vector load takes its address from, which may not be translated yet.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b64 s[10:11], s[4:5]
	global_load_b32 v2, v1, s[10:11]        ; <<< other end
	.if RIGHT
	s_wait_xcnt 0x0
	.endif
	s_load_b64 s[10:11], s[0:1], 0x0        ; <<< error[R3] missing-wait <<< hint: s_wait_xcnt 0
	s_wait_loadcnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_wait_kmcnt 0x0
	s_add_co_i32 s12, s10, 1
	s_endpgm
	.include "end-gfx1250.inc"
