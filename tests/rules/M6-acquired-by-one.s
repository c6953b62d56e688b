; launch: two-groups-of-128
; One work-item waits for the flag and empties the caches as far as another workgroup is away; a barrier tells the other
; waves. In WGP mode they may be on the other CU, whose own cache they have to empty themselves, and that alone.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_mov_b32_e32 v4, 0x800
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lconsumer
	global_store_b32 v1, v0, s[6:7]         ; <<< other end
	s_waitcnt_vscnt null, 0x0
	s_barrier
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ldone
	v_mov_b32_e32 v5, 1
	s_mov_b32 exec_lo, 1
	global_store_b32 v4, v5, s[6:7]
	s_endpgm
.Lconsumer:
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ltold
.Lpoll:
	global_load_b32 v5, v4, s[6:7] glc
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lpoll
	buffer_gl1_inv
	buffer_gl0_inv
.Ltold:
	s_barrier
	.if RIGHT
	buffer_gl0_inv
	.endif
	global_load_b32 v6, v1, s[6:7]          ; <<< error[M6] missing-invalidate
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v6, s[6:7] offset:1024
.Ldone:
	s_endpgm
	.include "end-gfx1100.inc"
