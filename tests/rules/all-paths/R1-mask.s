; What a branch decides by stands in a mask of lanes, all or none of them, which is set to a constant right in front of it: with a
; lane on, one way is none.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	.if RIGHT
	s_mov_b32 s10, -1
	.else
	s_mov_b32 s10, 0
	.endif
	s_and_b32 s10, s10, exec_lo
	s_cselect_b32 s10, 1, 0
	s_cmp_lg_u32 s10, 1
	s_cbranch_scc1 .Lunwaited
	s_wait_loadcnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
.Lunwaited:
	global_store_b32 v1, v2, s[6:7]         ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	s_endpgm
	.include "end-gfx1250.inc"
