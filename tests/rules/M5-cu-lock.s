; launch: two-waves
; A lock in global memory between the waves of a workgroup, who need no scope for it: what is stored before it is given back must
; be over then.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_mov_b32 exec_lo, 1
.Ltake:
	global_atomic_swap_b32 v5, v3, v4, s[6:7] offset:512 th:TH_ATOMIC_RETURN
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Ltake
	global_load_b32 v6, v3, s[6:7] offset:256 ; <<< error[M5] missing-wait
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v6, v6, v4
	global_store_b32 v3, v6, s[6:7] offset:256 ; <<< other end
	.if RIGHT
	s_wait_storecnt 0x0
	.endif
	global_store_b32 v3, v3, s[6:7] offset:512 ; <<< hint: s_wait_storecnt 0
	s_endpgm
	.include "end-gfx1250.inc"
