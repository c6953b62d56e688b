; EarlyTimeout.MultiWGP_TimeoutBit: 2 workgroups load one address, mask 0x1000f
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
	s_load_b64 s[8:9], s[0:1], 0x10
	s_bfe_u32 s3, ttmp8, 0x50019                     ; wave of the workgroup
	v_and_b32_e32 v1, 31, v0                         ; lane of the wave
	s_wait_kmcnt 0x0
	s_getreg_b32 s20, hwreg(HW_REG_IB_STS2, 21, 4)   ; flat id in the cluster
	s_bfe_u32 s22, ttmp6, 0x4000c                    ; cluster size in x, minus 1
	s_add_co_i32 s22, s22, 1
	s_mul_i32 s21, ttmp9, s22
	s_and_b32 s22, ttmp6, 15
	s_add_co_i32 s21, s21, s22                       ; workgroup in x
	s_lshl_b32 s22, s21, 2
	v_mov_b32_e32 v30, s22
	v_mov_b32_e32 v31, s20
	s_mov_b32 exec_lo, 1                             ; one lane writes it
	global_store_b32 v30, v31, s[8:9]
	s_mov_b32 exec_lo, -1
	v_mov_b32_e32 v2, 0
	s_mov_b32 m0, 0x1000f
	cluster_load_b32 v8, v2, s[4:5]
	s_wait_loadcnt 0x0
	s_lshl_b32 s22, s21, 5
	v_add_nc_u32_e32 v3, s22, v0
	v_lshlrev_b32_e32 v3, 2, v3
	global_store_b32 v3, v8, s[6:7]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_kernarg_size 24
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
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 32
    .cluster_dims: [2, 1, 1]
    .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 8
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 16
        .size: 8
        .value_kind: global_buffer
...
	.end_amdgpu_metadata
