; never ends
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl	spin
	.p2align	8
	.type	spin,@function
spin:
	s_branch spin
.Lend:
	.size	spin, .Lend-spin

	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel spin
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 1
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
