; SingleWGP.B64_AllLanes: one workgroup, mask 0x1, each lane its own element
; Written by tests/sim/multicast/generate.py.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_load_b64 s[4:5], s[0:1], 0x0
	s_load_b64 s[6:7], s[0:1], 0x8
	s_bfe_u32 s3, ttmp8, 0x50019                     ; wave of the workgroup
	v_and_b32_e32 v1, 31, v0                         ; lane of the wave
	s_wait_kmcnt 0x0
	v_lshlrev_b32_e32 v2, 3, v1
	s_mov_b32 m0, 0x1
	cluster_load_b64 v[8:9], v2, s[4:5]
	s_wait_loadcnt 0x0
	global_store_b64 v2, v[8:9], s[6:7]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
amdhsa.target: amdgcn-amd-amdhsa--gfx1250
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 32
    .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 8
        .size: 8
        .value_kind: global_buffer
...
	.end_amdgpu_metadata
