; MIX loop: 12 vector ALU instructions, 4 scalar ones, 2 LDS accesses of 128 bits, 1 global load of 128 bits and
; a branch a round.
; Measured by crates/filetests/benches/speed.rs; as a case it must run clean.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b32 s8, s[0:1], 0x10
	v_cvt_f32_u32_e32 v1, v0
	v_mov_b32_e32 v2, 0.5
	v_lshlrev_b32_e32 v3, 4, v0            ; my 16 bytes
	v_lshlrev_b32_e32 v4, 2, v0            ; my result
	v_cvt_f32_u32_e32 v8, v0
	v_cvt_f32_u32_e32 v9, v0
	v_cvt_f32_u32_e32 v10, v0
	v_cvt_f32_u32_e32 v11, v0
	v_cvt_f32_u32_e32 v12, v0
	v_cvt_f32_u32_e32 v13, v0
	v_cvt_f32_u32_e32 v14, v0
	v_cvt_f32_u32_e32 v15, v0
	s_wait_kmcnt 0x0
	s_mov_b32 s9, 0
	v_mov_b32_e32 v16, v1
	v_mov_b32_e32 v17, v1
	v_mov_b32_e32 v18, v1
	v_mov_b32_e32 v19, v1
	ds_store_b128 v3, v[16:19]
	s_wait_dscnt 0x0
.Lround:
	global_load_b128 v[20:23], v3, s[4:5]
	ds_load_b128 v[24:27], v3
	ds_store_b128 v3, v[16:19] offset:1024
	v_fma_f32 v8, v8, v1, v2
	v_mul_f32_e32 v10, v1, v10
	v_add_f32_e32 v12, v2, v12
	v_max_f32_e32 v14, v1, v14
	v_add_nc_u32_e32 v9, v3, v9
	v_lshl_add_u32 v11, v11, 1, v3
	v_xor_b32_e32 v13, v3, v13
	v_and_or_b32 v15, v15, v3, v1
	s_wait_loadcnt 0x0
	v_add_f32_e32 v8, v20, v8
	v_add_f32_e32 v10, v23, v10
	s_wait_dscnt 0x1
	v_add_f32_e32 v12, v24, v12
	v_add_f32_e32 v14, v27, v14
	s_add_co_i32 s9, s9, 1
	s_cmp_lt_u32 s9, s8
	s_cbranch_scc1 .Lround
	global_store_b32 v4, v8, s[6:7]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 24
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
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 2048
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
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
      - .offset: 16
        .size: 4
        .value_kind: by_value
...
	.end_amdgpu_metadata
