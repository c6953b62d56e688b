; F10. A copy to LDS counts on vmcnt, the LDS read behind it on lgkmcnt.
; The compiler took the copy for something of the LDS counter and waits on lgkmcnt, which counts no copies.
; dst = 2 * src + 1 for 4 tiles of one wave, two LDS buffers, the next tile copied while this one is used.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl scale
	.p2align 8
	.type scale,@function
scale:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of dst
	v_mov_b32_e32 v2, v1                    ; v2: my 16 bytes of tile t in LDS
	v_mov_b32_e32 v3, v1                    ; v3: those of src
	s_movk_i32 s9, 0x3                      ; tiles left to ask for
	s_mov_b32 s8, 0                         ; s8: the buffer to fill
	s_mov_b32 m0, s8
	s_waitcnt lgkmcnt(0)
	global_load_lds_dwordx4 v3, s[4:5]      ; tile 0 <<< other end

.Lloop:
	s_xor_b32 s8, s8, 0x400
	s_mov_b32 m0, s8
	v_add_u32_e32 v3, 0x400, v3
	global_load_lds_dwordx4 v3, s[4:5]      ; tile t+1 <<< other end
	s_waitcnt lgkmcnt(0)                    ; <<< wait
	ds_read_b128 v[4:7], v2                 ; tile t <<< error[R6] missing-wait <<< hint: s_waitcnt vmcnt(1)
	v_xor_b32_e32 v2, 0x400, v2
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v4, v4, 1, 1
	v_lshl_add_u32 v5, v5, 1, 1
	v_lshl_add_u32 v6, v6, 1, 1
	v_lshl_add_u32 v7, v7, 1, 1
	global_store_dwordx4 v1, v[4:7], s[6:7]
	v_add_u32_e32 v1, 0x400, v1
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop

	s_waitcnt vmcnt(1)                      ; the last tile; a store is younger
	ds_read_b128 v[4:7], v2
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v4, v4, 1, 1
	v_lshl_add_u32 v5, v5, 1, 1
	v_lshl_add_u32 v6, v6, 1, 1
	v_lshl_add_u32 v7, v7, 1, 1
	global_store_dwordx4 v1, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size scale, .Lend-scale

	.rodata
	.p2align 6
	.amdhsa_kernel scale
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
