; F20. Two reductions in a row through the same LDS: first the sum, then the squares of the deviations.
; A barrier more: all have read the first reduction's values before the second's are stored.
; q[i] = sum of (4 x - s)^2 over the 4 elements of column i % 32, where s is their sum; 4 waves.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl variance
	.p2align 8
	.type variance,@function
variance:
	s_load_b128 s[4:7], s[0:1], 0x0         ; s[4:5] = x, s[6:7] = q
	v_lshlrev_b32_e32 v1, 2, v0             ; v1: my element in LDS
	s_lshl_b32 s8, ttmp9, 9
	v_add_nc_u32_e32 v2, s8, v1             ; v2: my element in memory
	v_and_b32_e32 v3, 0x7c, v1              ; v3: the first of my column
	s_wait_kmcnt 0x0
	global_load_b32 v4, v2, s[4:5]
	s_wait_loadcnt 0x0

	ds_store_b32 v1, v4                     ; ---- the first reduction
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	v_mov_b32_e32 v5, 0                     ; v5: s
	v_mov_b32_e32 v6, v3
	s_movk_i32 s9, 0x4
.Lsum:
	ds_load_b32 v7, v6
	v_add_nc_u32_e32 v6, 0x80, v6
	s_add_co_i32 s9, s9, -1
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v7
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lsum

	v_lshlrev_b32_e32 v4, 2, v4             ; ---- the second
	v_sub_nc_u32_e32 v4, v4, v5
	v_mul_lo_u32 v4, v4, v4
	s_barrier_signal -1                     ; s has been added up by all
	s_barrier_wait -1
	ds_store_b32 v1, v4
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	v_mov_b32_e32 v5, 0
	s_movk_i32 s9, 0x4
.Lsquares:
	ds_load_b32 v7, v3
	v_add_nc_u32_e32 v3, 0x80, v3
	s_add_co_i32 s9, s9, -1
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v5, v7
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lsquares
	global_store_b32 v2, v5, s[6:7]
	s_endpgm
.Lend:
	.size variance, .Lend-variance

	.rodata
	.p2align 6
	.amdhsa_kernel variance
		.amdhsa_group_segment_fixed_size 512
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
