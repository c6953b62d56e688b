; launch: two-waves
; A wave arrives at a barrier before its store is over. The cache of a CU keeps the order of what its waves do, so that
; this is wrong only in WGP mode.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.set WGP_MODE, 1 - RIGHT
	.include "gfx1100.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer
	global_store_b32 v1, v0, s[6:7]         ; <<< other end
	s_barrier                               ; <<< hint: s_waitcnt_vscnt null, 0x0
	s_endpgm
.Lconsumer:
	s_barrier
	buffer_gl0_inv
	v_add_nc_u32_e32 v1, 0xffffff80, v1
	global_load_b32 v6, v1, s[6:7] glc      ; <<< error[S1] missing-wait
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v6, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1100.inc"
