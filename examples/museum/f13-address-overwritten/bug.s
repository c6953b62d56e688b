; F13. A loop that loads row after row through one address register.
; An access whose translation is not there yet is replayed later, and then reads its address again: from a register
; that has moved on to the next row.
; dst[i] = sum over 4 rows of src[row][i], two rows in flight; one wave.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl sum
	.p2align 8
	.type sum,@function
sum:
	s_load_b128 s[4:7], s[0:1], 0x0         ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of dst
	v_mov_b32_e32 v2, v1                    ; v2: my 16 bytes of the row to ask for
	v_mov_b64_e32 v[4:5], 0                 ; v[4:7]: the sum
	v_mov_b64_e32 v[6:7], 0
	s_movk_i32 s9, 0x2                      ; pairs of rows
	s_wait_kmcnt 0x0

.Lloop:
	global_load_b128 v[8:11], v2, s[4:5]    ; <<< other end
	v_add_nc_u32_e32 v2, 0x200, v2          ; <<< advice[R3] missing-wait <<< hint: s_wait_xcnt 0
	global_load_b128 v[12:15], v2, s[4:5]
	s_wait_loadcnt 0x1                      ; the first row of the pair
	v_add_nc_u32_e32 v4, v4, v8
	v_add_nc_u32_e32 v5, v5, v9
	v_add_nc_u32_e32 v6, v6, v10
	v_add_nc_u32_e32 v7, v7, v11
	s_wait_loadcnt 0x0                      ; the second; with it v2 is free, too
	v_add_nc_u32_e32 v2, 0x200, v2
	v_add_nc_u32_e32 v4, v4, v12
	v_add_nc_u32_e32 v5, v5, v13
	v_add_nc_u32_e32 v6, v6, v14
	v_add_nc_u32_e32 v7, v7, v15
	s_add_co_i32 s9, s9, -1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop
	global_store_b128 v1, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size sum, .Lend-sum

	.rodata
	.p2align 6
	.amdhsa_kernel sum
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
