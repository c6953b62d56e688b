; Two kernels without metadata; the second one stores what it has not waited for.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl copy
	.p2align 8
	.type copy,@function
copy:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[4:5]
	s_waitcnt vmcnt(0)
	global_store_dword v1, v2, s[6:7]
	s_endpgm
.Lcopy_end:
	.size copy, .Lcopy_end-copy

	.globl copy_too_early
	.p2align 8
	.type copy_too_early,@function
copy_too_early:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[4:5]
	global_store_dword v1, v2, s[6:7]
	s_endpgm
.Lend:
	.size copy_too_early, .Lend-copy_too_early

	.macro descriptor name
	.amdhsa_kernel \name
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.endm

	.section .rodata,"a",@progbits
	.p2align 6
	descriptor copy
	descriptor copy_too_early
