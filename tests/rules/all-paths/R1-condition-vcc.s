; A condition that is kept in scalar registers is asked by way of VCC, as compilers do; where EXEC changes in between, the
; answer may.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 0
	v_cmp_eq_u32_e64 s[10:11], 0, v1
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccz .Lskipped
	global_load_dword v2, v1, s[4:5]                    ; <<< other end
.Lskipped:
	.if !RIGHT
	s_mov_b64 exec, 1
	.endif
	s_and_b64 vcc, exec, s[10:11]
	s_nop 0
	s_cbranch_vccz .Lnothing
	s_waitcnt vmcnt(0)
.Lnothing:
	global_store_dword v1, v2, s[6:7]                   ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0)
	s_endpgm
	.include "end-gfx950.inc"
