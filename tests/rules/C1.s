; with: multicast=timeout warning
; launch: cluster
; The workgroups of a cluster ask for a multicast with masks that differ.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_mov_b32 m0, 0x3
	.else
	s_and_b32 s10, ttmp6, 15                ; my number in the cluster
	s_sub_co_i32 m0, 0x3, s10               ; 3, or 2
	.endif
	cluster_load_b32 v2, v1, s[4:5]         ; <<< error[C1] collective
	s_wait_loadcnt 0x0
	v_mov_b32_e32 v3, v2
	s_endpgm
	.include "end-gfx1250.inc"
