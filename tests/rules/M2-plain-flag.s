; launch: two-groups
; A flag is stored with a scope and polled without one: the caches may show the old value for ever, and what it guards is not in
; order.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lpoll
	global_store_b32 v3, v4, s[6:7] offset:512
	global_wb scope:SCOPE_DEV
	s_wait_storecnt 0x0
	global_store_b32 v3, v4, s[6:7] scope:SCOPE_DEV ; <<< other end
	s_endpgm
.Lpoll:
	.if RIGHT
	global_load_b32 v5, v3, s[6:7] scope:SCOPE_DEV
	.else
	global_load_b32 v5, v3, s[6:7]      ; <<< error[M2] wrong-scope
	.endif
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lpoll
	global_inv scope:SCOPE_DEV
	global_load_b32 v6, v3, s[6:7] offset:512
	s_wait_loadcnt 0x0
	global_store_b32 v3, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1250.inc"
