; launch: cluster
; One workgroup of a cluster does not take part in a multicast, and reads what that should have brought: that nothing is there is no
; mistake of its own.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 m0, 0x3
	s_and_b32 s10, ttmp6, 15                ; my number in the cluster
	s_lshl_b32 s11, s10, 7
	v_add_nc_u32_e32 v3, s11, v1
	.if !RIGHT
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lskipped
	.endif
	cluster_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< error[C1] collective
.Lskipped:
	s_wait_asynccnt 0x0
	s_barrier_signal -3
	s_barrier_wait -3
	ds_load_b32 v2, v1
	s_wait_dscnt 0x0
	global_store_b32 v3, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
