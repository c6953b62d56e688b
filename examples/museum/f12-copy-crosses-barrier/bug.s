; F12. Two LDS buffers: the next tile is copied while this one is read, then a barrier.
; The compiler waits for the LDS reads before the barrier and forgets that the copies to LDS must be there, too.
; dst[t][i] = src[t][127 - i] for 4 tiles of two waves, four u32 a lane.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl copy
	.p2align 8
	.type copy,@function
copy:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of dst
	v_sub_u32_e32 v2, 0x7f0, v1             ; v2: the mirrored ones in LDS, which the other wave copies
	v_mov_b32_e32 v3, v1                    ; v3: my 16 bytes of src
	v_lshrrev_b32_e32 v8, 6, v0
	s_movk_i32 s9, 0x3                      ; tiles left to ask for
	v_readfirstlane_b32 s8, v8
	s_lshl_b32 s8, s8, 10                   ; s8: my wave's half of the buffer to fill
	s_mov_b32 m0, s8
	s_waitcnt lgkmcnt(0)
	global_load_lds_dwordx4 v3, s[4:5]      ; tile 0
	s_waitcnt vmcnt(0)
	s_barrier

.Lloop:
	s_xor_b32 s8, s8, 0x800
	s_mov_b32 m0, s8
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]      ; tile t+1 <<< other end
	ds_read_b128 v[4:7], v2                 ; tile t <<< error[R4] missing-wait
	s_waitcnt lgkmcnt(0)                    ; <<< wait
	s_barrier                               ; <<< hint: s_waitcnt vmcnt(0)
	global_store_dwordx4 v1, v[4:7], s[6:7]
	v_add_u32_e32 v1, 0x800, v1
	v_xor_b32_e32 v2, 0x800, v2
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop

	ds_read_b128 v[4:7], v2                 ; the last tile
	s_waitcnt lgkmcnt(0)
	global_store_dwordx4 v1, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size copy, .Lend-copy

	.rodata
	.p2align 6
	.amdhsa_kernel copy
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
