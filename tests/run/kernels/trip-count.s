; A trip count that is read before it is there: the loop runs for very long.
; --stop-on-error ends the run where that is known.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl count
	.p2align 8
	.type count,@function
count:
	s_load_b32 s4, s[0:1], 0x0
	v_mov_b32_e32 v1, 0
.Lloop:
	v_add_nc_u32_e32 v1, 1, v1
	s_add_co_i32 s4, s4, -1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 .Lloop
	s_endpgm
.Lend:
	.size count, .Lend-count
	.rodata
	.p2align 6
	.amdhsa_kernel count
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
