; launch: two-groups
; The flag is stored while the data are under way, and more is stored after it: what was read is the flag.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_mov_b32_e32 v4, 0x800
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lconsumer
	global_store_b32 v1, v0, s[6:7]         ; <<< other end
	.if RIGHT
	s_waitcnt_vscnt null, 0x0
	.endif
	v_mov_b32_e32 v5, 1
	s_mov_b32 exec_lo, 1
	global_store_b32 v4, v5, s[6:7]         ; <<< hint: s_waitcnt_vscnt null, 0x0
	global_store_b32 v4, v5, s[6:7] offset:4
	s_waitcnt_vscnt null, 0x0
	s_barrier
	global_store_b32 v4, v5, s[6:7] offset:8
	s_endpgm
.Lconsumer:
	global_load_b32 v5, v4, s[6:7] glc
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lconsumer
	buffer_gl1_inv
	buffer_gl0_inv
	global_load_b32 v6, v1, s[6:7]          ; <<< error[M5] missing-wait
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1100.inc"
