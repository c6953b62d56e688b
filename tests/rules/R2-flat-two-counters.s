; without launch
; Two FLAT loads: what the first one writes is written again when the second one may be in flight, in both counters.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_add_co_u32 v2, vcc_lo, s4, v1
	v_mov_b32_e32 v3, s5
	v_add_co_ci_u32_e64 v3, vcc_lo, 0, v3, vcc_lo
	flat_load_b32 v4, v[2:3]                ; <<< other end
	flat_load_b32 v5, v[2:3]
	.if RIGHT
	s_wait_loadcnt_dscnt 0x101
	.endif
	v_mov_b32_e32 v4, 0                     ; <<< error[R2] missing-wait <<< hint: s_wait_loadcnt_dscnt 0x101
	s_wait_loadcnt_dscnt 0x0
	v_add_nc_u32_e32 v4, v4, v5
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
