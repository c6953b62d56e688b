; F11. Twelve copies to LDS in flight, each read as soon as it is there.
; Each read waits for its own copy: so many are younger.
; dst[i] = sum over 12 rows of src[row][i]; one wave.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl gather
	.p2align 8
	.type gather,@function
gather:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 2, v0             ; v1: my 4 bytes of a row in LDS
	v_mov_b32_e32 v2, v1                    ; v2: the same in memory
	s_mov_b32 s8, 0
	s_waitcnt lgkmcnt(0)
.Lcopy:
	s_mov_b32 m0, s8
	s_add_u32 s8, s8, 0x100
	global_load_lds_dword v2, s[4:5]
	v_add_u32_e32 v2, 0x100, v2
	s_cmp_lg_u32 s8, 0xc00
	s_cbranch_scc1 .Lcopy

	s_waitcnt vmcnt(11)
	ds_read_b32 v8, v1
	s_waitcnt vmcnt(10)
	ds_read_b32 v9, v1 offset:256
	s_waitcnt vmcnt(9)
	ds_read_b32 v10, v1 offset:512
	s_waitcnt vmcnt(8)
	ds_read_b32 v11, v1 offset:768
	s_waitcnt vmcnt(7)
	ds_read_b32 v12, v1 offset:1024
	s_waitcnt vmcnt(6)
	ds_read_b32 v13, v1 offset:1280
	s_waitcnt vmcnt(5)
	ds_read_b32 v14, v1 offset:1536
	s_waitcnt vmcnt(4)
	ds_read_b32 v15, v1 offset:1792
	s_waitcnt vmcnt(3)
	ds_read_b32 v16, v1 offset:2048
	s_waitcnt vmcnt(2)
	ds_read_b32 v17, v1 offset:2304
	s_waitcnt vmcnt(1)
	ds_read_b32 v18, v1 offset:2560         ; the eleventh
	s_waitcnt vmcnt(0)
	ds_read_b32 v19, v1 offset:2816

	s_waitcnt lgkmcnt(0)
	v_add3_u32 v8, v8, v9, v10
	v_add3_u32 v8, v8, v11, v12
	v_add3_u32 v8, v8, v13, v14
	v_add3_u32 v8, v8, v15, v16
	v_add3_u32 v8, v8, v17, v18
	v_add_u32_e32 v8, v8, v19
	global_store_dword v1, v8, s[6:7]
	s_endpgm
.Lend:
	.size gather, .Lend-gather

	.rodata
	.p2align 6
	.amdhsa_kernel gather
		.amdhsa_group_segment_fixed_size 3072
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
