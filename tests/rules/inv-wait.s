; model: inv-wait=strict
; launch: two-groups
; After the flag the data are read before the invalidate is over.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v4, 0x800
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lconsumer
	global_store_b32 v1, v0, s[6:7]         ; <<< other end
	global_wb scope:SCOPE_DEV
	s_wait_storecnt 0x0
	v_mov_b32_e32 v5, 1
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v4, v5, s[6:7] scope:SCOPE_DEV
	s_endpgm
.Lconsumer:
	global_load_b32 v5, v4, s[6:7] scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lconsumer
	global_inv scope:SCOPE_DEV
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	global_load_b32 v6, v1, s[6:7]          ; <<< warning[M6] missing-wait <<< hint: s_wait_loadcnt 0
	s_wait_loadcnt 0x0
	global_store_b32 v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1250.inc"
