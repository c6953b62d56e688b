; F18. A K loop that copies the next A to LDS, loads the next weights to registers, and waits for the copy only.
; Two loads of weights are younger than the copy.
; c[w] = sum over 3 tiles of A[t] * W[t] (two K halves each), by wave w; wave w copies half w of A.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl moe
	.p2align 8
	.type moe,@function
moe:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = a, s[6:7] = w
	s_load_dwordx2 s[10:11], s[0:1], 0x10   ; s[10:11] = c
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: the 16 bytes that I copy, and mine of c
	v_and_b32_e32 v2, 0x3f0, v1             ; v2: my 16 bytes of a fragment
	v_mov_b32_e32 v3, v2                    ; v3: the same of w
	v_mov_b32_e32 v36, v1                   ; v36: my 16 bytes of a
	v_lshrrev_b32_e32 v8, 6, v0
	s_movk_i32 s9, 0x2                      ; tiles left to ask for
	v_readfirstlane_b32 s8, v8
	s_lshl_b32 s8, s8, 10                   ; s8: my wave's half of the buffer to fill
	v_mov_b32_e32 v4, 0                     ; v[4:7]: the accumulator
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_mov_b32 m0, s8
	s_waitcnt lgkmcnt(0)
	global_load_lds_dwordx4 v36, s[4:5]     ; A of tile 0
	global_load_dwordx4 v[16:19], v3, s[6:7] ; W of tile 0
	global_load_dwordx4 v[20:23], v3, s[6:7] offset:1024
	s_waitcnt vmcnt(0)
	s_barrier

.Lk:
	s_xor_b32 s8, s8, 0x800
	s_mov_b32 m0, s8
	v_add_u32_e32 v36, 0x800, v36
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v36, s[4:5]     ; the next A
	global_load_dwordx4 v[24:27], v3, s[6:7] ; the next W
	global_load_dwordx4 v[28:31], v3, s[6:7] offset:1024
	ds_read_b128 v[8:11], v2
	ds_read_b128 v[12:15], v2 offset:1024
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[16:19], v[4:7]
	v_mfma_f32_16x16x32_f16 v[4:7], v[12:15], v[20:23], v[4:7]
	v_xor_b32_e32 v2, 0x800, v2
	s_waitcnt vmcnt(2)
	s_barrier
	s_waitcnt vmcnt(0)                      ; the next W is there
	v_mov_b64_e32 v[16:17], v[24:25]
	v_mov_b64_e32 v[18:19], v[26:27]
	v_mov_b64_e32 v[20:21], v[28:29]
	v_mov_b64_e32 v[22:23], v[30:31]
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lk

	ds_read_b128 v[8:11], v2                ; the last tile
	ds_read_b128 v[12:15], v2 offset:1024
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[16:19], v[4:7]
	v_mfma_f32_16x16x32_f16 v[4:7], v[12:15], v[20:23], v[4:7]
	s_nop 15
	global_store_dwordx4 v1, v[4:7], s[10:11]
	s_endpgm
.Lend:
	.size moe, .Lend-moe

	.rodata
	.p2align 6
	.amdhsa_kernel moe
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 40
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 40
	.end_amdhsa_kernel
