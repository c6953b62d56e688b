; launch: two-waves
; without launch
; One wave stores what another loads, each in code of its own: no path has both.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_lshrrev_b32_e32 v2, 5, v0
	v_and_b32_e32 v3, 0x7c, v1
	v_readfirstlane_b32 s8, v2
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lload
	ds_store_b32 v3, v0                     ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	s_endpgm
.Lload:
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v4, v3                      ; <<< error[S1] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
