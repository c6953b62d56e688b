; launch: two-waves
; In WGP mode the waves of a workgroup may be on two CUs: the cache of the one that loads may hold what was there before
; the barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
	global_store_b32 v1, v0, s[6:7]         ; <<< other end
	s_waitcnt_vscnt null, 0x0
	s_barrier
	s_endpgm
.Lconsumer:
	s_barrier
	.if RIGHT
	buffer_gl0_inv
	.endif
	v_add_nc_u32_e32 v1, 0xffffff80, v1
	global_load_b32 v6, v1, s[6:7]          ; <<< error[M6] missing-invalidate
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1100.inc"
