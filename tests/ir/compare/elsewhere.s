; The code of elsewhere.ll: right, or with another offset.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v2, 2, v0
	v_add_u32_e32 v1, 1, v0
	.if WRONG
	v_add_u32_e32 v2, 0x100, v2
	.endif
	s_waitcnt lgkmcnt(0)

	global_store_dword v2, v1, s[4:5]   ; <<< elsewhere
	s_endpgm
.Lend:
	.size k, .Lend-k

	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
