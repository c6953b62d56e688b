; launch: cluster
; A multicast whose mask nobody has set.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_mov_b32 m0, 0x3
	.endif
	cluster_load_b32 v2, v1, s[4:5]         ; <<< error[U1] uninitialized
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v2, 1, v2
	s_endpgm
	.include "end-gfx1250.inc"
