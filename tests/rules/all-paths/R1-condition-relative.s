; Two branches by comparisons of one register: M0 does not say in between which register is written, or it does.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0
	s_mov_b32 m0, 1
	s_cmp_lg_u32 s9, 5
	s_cbranch_scc0 .Lskipped
	global_load_b32 v2, v1, s[4:5]                      ; <<< other end
.Lskipped:
	.if RIGHT
	s_mov_b32 s10, 5
	.else
	s_movreld_b32 s8, s4                                ; s9
	.endif
	s_cmp_lg_u32 s9, 5
	s_cbranch_scc0 .Lnothing
	s_wait_loadcnt 0x0
.Lnothing:
	v_add_nc_u32_e32 v3, v1, v2                         ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
