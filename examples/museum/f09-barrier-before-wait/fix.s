; F9. A copy straight to LDS, waited for on the wrong side of the barrier.
; First each wave waits for its own copies, then the barrier makes that everybody's.
; dst[t][i] = src[t][255 - i] for 3 tiles of 4 waves, four u32 a lane.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl copy
	.p2align 8
	.type copy,@function
copy:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of a tile
	v_sub_u32_e32 v2, 0xff0, v1             ; v2: the mirrored ones, which another wave copies
	v_lshrrev_b32_e32 v3, 6, v0
	s_movk_i32 s9, 0x3                      ; tiles left
	v_readfirstlane_b32 s8, v3
	s_lshl_b32 s8, s8, 10
	s_mov_b32 m0, s8                        ; my wave's quarter of the buffer
	s_waitcnt lgkmcnt(0)

.Ltile:
	global_load_lds_dwordx4 v1, s[4:5]
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b128 v[4:7], v2
	s_waitcnt lgkmcnt(0)
	s_barrier                               ; all have read: the buffer is free
	global_store_dwordx4 v1, v[4:7], s[6:7]
	v_add_u32_e32 v1, 0x1000, v1
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Ltile
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
