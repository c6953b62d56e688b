; What a branch decides by is a mask of all lanes, tested where none may be left on: it may go either way there.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	.if !RIGHT
	s_and_b32 exec_lo, exec_lo, s9
	.endif
	s_branch .Ltest
.Ltest:
	s_mov_b32 s10, -1
	s_and_b32 s10, s10, exec_lo
	s_cbranch_scc0 .Lnone
	s_wait_loadcnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
.Lnone:
	s_mov_b32 exec_lo, -1
	global_store_b32 v1, v2, s[6:7]         ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	s_endpgm
	.include "end-gfx1250.inc"
