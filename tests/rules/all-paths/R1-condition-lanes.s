; A load and its wait are passed over where no lane is on; where the second branch is by other lanes, the load may be in
; flight behind it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	v_cmp_lt_u32_e32 vcc_lo, 7, v1
	s_and_saveexec_b32 s10, vcc_lo
	s_cbranch_execz .Lskipped
	global_load_b32 v2, v1, s[4:5]                      ; <<< other end
.Lskipped:
	.if !RIGHT
	s_and_b32 exec_lo, exec_lo, 1
	.endif
	s_cbranch_execz .Lnothing
	s_wait_loadcnt 0x0
.Lnothing:
	s_mov_b32 exec_lo, s10
	global_store_b32 v1, v2, s[6:7]                     ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	s_endpgm
	.include "end-gfx1250.inc"
