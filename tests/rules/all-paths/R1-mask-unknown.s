; A mask of which nothing is known where two ways meet, tested and asked whether the answer was 1: it may be either.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 s10, -1
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	s_cmp_gt_i32 s9, 7
	s_cbranch_scc1 .Ltest
	s_mov_b32 s10, 0
.Ltest:
	s_and_b32 s11, s10, exec_lo
	s_cselect_b32 s11, 1, 0
	s_cmp_lg_u32 s11, 1
	s_cbranch_scc1 .Lnone
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	global_store_b32 v1, v2, s[6:7]         ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	s_endpgm
.Lnone:
	s_endpgm
	.include "end-gfx1250.inc"
