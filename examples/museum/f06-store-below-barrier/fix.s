; F6. The waves exchange a tile through LDS: store, wait, barrier, load.
; With a fence in the source the store stays where it was written: before the wait and the barrier.
; dst[t][i] = src[t][127 - i] for 3 tiles of two waves, four u32 a lane.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl exchange
	.p2align 8
	.type exchange,@function
exchange:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of the tile in LDS
	v_sub_u32_e32 v2, 0x7f0, v1             ; v2: the mirrored ones, which the other wave stores
	v_mov_b32_e32 v3, v1                    ; v3: my 16 bytes of src and dst
	s_movk_i32 s9, 0x3                      ; tiles left
	s_waitcnt lgkmcnt(0)

.Lloop:
	global_load_dwordx4 v[4:7], v3, s[4:5]
	s_waitcnt vmcnt(0)
	ds_write_b128 v1, v[4:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[8:11], v2
	s_waitcnt lgkmcnt(0)
	s_barrier                               ; all have read: LDS is free
	global_store_dwordx4 v3, v[8:11], s[6:7]
	v_add_u32_e32 v3, 0x800, v3
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop
	s_endpgm
.Lend:
	.size exchange, .Lend-exchange

	.rodata
	.p2align 6
	.amdhsa_kernel exchange
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
