; As R2-condition, and the second question is the opposite of the first one, with the numbers the other way round.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lt_u32 s9, 0x123
	s_cbranch_scc0 .Lskipped
	global_load_b32 v2, v1, s[4:5]                      ; <<< other end
.Lskipped:
	s_cmp_le_u32 0x123, s9
	.if RIGHT
	s_cbranch_scc1 .Lnothing
	.else
	s_cbranch_scc0 .Lnothing
	.endif
	s_wait_loadcnt 0x0
.Lnothing:
	v_mov_b32_e32 v2, 0                                 ; <<< error[R2] missing-wait
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
