; launch: cluster-of-two-waves
; Both waves of a workgroup arrive at the cluster barrier, which then lets the cluster on too early: that the workgroups race is no
; mistake of its own.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_and_b32 s9, ttmp6, 15                 ; my number in the cluster
	s_xor_b32 s10, s9, 1
	v_lshl_add_u32 v2, s9, 8, v1
	v_lshl_add_u32 v3, s10, 8, v1           ; the other workgroup's
	global_store_b32 v2, v0, s[6:7] scope:SCOPE_SE
	s_wait_storecnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.if RIGHT
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lwait
	.endif
	s_barrier_signal -3                     ; <<< error[B14] barrier
.Lwait:
	s_barrier_wait -3
	global_load_b32 v4, v3, s[6:7] scope:SCOPE_SE
	s_wait_loadcnt 0x0
	global_store_b32 v2, v4, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1250.inc"
