; launch: cluster
; A workgroup asks for a multicast that leaves it out itself.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_mov_b32 m0, 0x3
	cluster_load_b32 v2, v1, s[4:5]
	.else
	s_mov_b32 s10, 2
	s_lshr_b32 m0, s10, s9                  ; 2 in workgroup 0, 1 in workgroup 1
	cluster_load_b32 v2, v1, s[4:5]         ; <<< warning[C2] collective
	.endif
	s_wait_loadcnt 0x0
	v_mov_b32_e32 v3, s9
	s_endpgm
	.include "end-gfx1250.inc"
