; The first 256 bytes load what older firmware does not preload.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl	preloaded
	.p2align	8
	.type	preloaded,@function
preloaded:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dword s4, s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	s_branch .Lpreloaded
	.p2align 8
.Lpreloaded:

	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v2, s4
	global_store_dword v1, v2, s[2:3]
	s_endpgm
.Lend:
	.size preloaded, .Lend-preloaded

	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel preloaded
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_count 5
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_kernarg_preload_length 3
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 5
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: preloaded
    .symbol: preloaded.kd
    .kernarg_segment_size: 12
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 5
    .vgpr_count: 3
    .max_flat_workgroup_size: 64
    .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .offset: 8
        .size: 4
        .value_kind: by_value
...
	.end_amdgpu_metadata
