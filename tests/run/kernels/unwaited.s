; scale.s without its wait for the load
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.text
	.globl	scale
	.p2align	8
	.type	scale,@function
scale:
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b32 s8, s[0:1], 0x10
	v_and_b32 v0, 0x3ff, v0
	v_lshlrev_b32 v1, 2, v0
	s_wait_kmcnt 0x0
	global_load_b32 v2, v1, s[4:5]
	v_add_nc_u32 v2, s8, v2
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
.Lend:
	.size	scale, .Lend-scale

	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel scale
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 9
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.end_amdhsa_kernel
