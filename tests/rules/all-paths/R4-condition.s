; Some lanes copy, and waves wait if they have such lanes. That those are the waves that have copied is not known; but they have,
; on the way where they wait.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_cmp_gt_u32_e32 vcc_lo, 32, v0
	s_mov_b32 s10, 0
.Lloop:
	s_and_saveexec_b32 s11, vcc_lo
	s_cbranch_execz .Lnone
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
.Lnone:
	s_mov_b32 exec_lo, s11
	.if RIGHT
	s_cbranch_vccz .Lskip
	s_wait_asynccnt 0x0
.Lskip:
	.endif
	ds_load_b32 v2, v1                      ; <<< error[R4] missing-wait
	s_wait_dscnt 0x0
	s_add_co_u32 s10, s10, 1
	s_cmp_lt_u32 s10, s9
	s_cbranch_scc1 .Lloop
	s_wait_asynccnt 0x0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
