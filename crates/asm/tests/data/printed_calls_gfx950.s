; target: gfx950
; What LLVM 22 prints for calls whose resources are expressions of other symbols.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl	leaf
	.p2align	2
	.type	leaf,@function
leaf:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s0, s32
	v_lshl_add_u32 v1, v0, 2, s0
	scratch_store_dword v1, v0, off sc0 sc1
	s_waitcnt vmcnt(0)
	scratch_load_dword v0, v1, off sc0 sc1
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end0:
	.size	leaf, .Lfunc_end0-leaf
	.set leaf.num_vgpr, 2
	.set leaf.num_agpr, 0
	.set leaf.numbered_sgpr, 33
	.set leaf.num_named_barrier, 0
	.set leaf.private_seg_size, 132
	.set leaf.uses_vcc, 0
	.set leaf.uses_flat_scratch, 0
	.set leaf.has_dyn_sized_stack, 0
	.set leaf.has_recursion, 0
	.set leaf.has_indirect_call, 0
	.globl	k1
	.p2align	8
	.type	k1,@function
k1:
	s_mov_b32 s14, s10
	s_mov_b64 s[10:11], s[6:7]
	s_load_dword s6, s[4:5], 0x8
	s_mov_b32 s13, s9
	s_mov_b32 s12, s8
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, gv@gotpcrel32@lo+4
	s_addc_u32 s9, s9, gv@gotpcrel32@hi+12
	s_load_dwordx2 s[8:9], s[8:9], 0x0
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s7, s6, 31
	s_lshl_b64 s[6:7], s[6:7], 2
	v_and_b32_e32 v1, 0x3ff, v0
	v_mov_b32_e32 v31, v0
	s_load_dword s15, s[8:9], 0x0
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, cst@rel32@lo+4
	s_addc_u32 s9, s9, cst@rel32@hi+12
	s_add_u32 s6, s8, s6
	s_addc_u32 s7, s9, s7
	s_load_dword s8, s[6:7], 0x0
	s_load_dwordx2 s[16:17], s[4:5], 0x0
	s_mov_b64 s[6:7], s[2:3]
	s_mov_b32 s32, 0
	v_lshlrev_b32_e32 v2, 2, v1
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s8
	s_add_u32 s8, s4, 16
	s_addc_u32 s9, s5, 0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, leaf@gotpcrel32@lo+4
	s_addc_u32 s5, s5, leaf@gotpcrel32@hi+12
	s_load_dwordx2 s[18:19], s[4:5], 0x0
	s_mov_b64 s[4:5], s[0:1]
	v_mov_b32_e32 v0, s15
	s_waitcnt lgkmcnt(0)
	s_swappc_b64 s[30:31], s[18:19]
	global_store_dword v2, v0, s[16:17]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel k1
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 132
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 8
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 33
		.amdhsa_accum_offset 32
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.size	k1, .Lfunc_end1-k1
	.set k1.num_vgpr, max(32, leaf.num_vgpr)
	.set k1.num_agpr, max(0, leaf.num_agpr)
	.set k1.numbered_sgpr, max(33, leaf.numbered_sgpr)
	.set k1.num_named_barrier, max(0, leaf.num_named_barrier)
	.set k1.private_seg_size, 0+max(leaf.private_seg_size)
	.set k1.uses_vcc, or(0, leaf.uses_vcc)
	.set k1.uses_flat_scratch, or(0, leaf.uses_flat_scratch)
	.set k1.has_dyn_sized_stack, or(0, leaf.has_dyn_sized_stack)
	.set k1.has_recursion, or(1, leaf.has_recursion)
	.set k1.has_indirect_call, or(0, leaf.has_indirect_call)
	.globl	k2
	.p2align	8
	.type	k2,@function
k2:
	s_load_dword s2, s[4:5], 0x8
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	v_and_b32_e32 v0, 0xffc, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s2
	ds_write_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v1, v0
	v_mov_b32_e32 v0, 0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[0:1]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel k2
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 8
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 97
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 4
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.size	k2, .Lfunc_end2-k2
	.set k2.num_vgpr, 2
	.set k2.num_agpr, 0
	.set k2.numbered_sgpr, 6
	.set k2.num_named_barrier, 0
	.set k2.private_seg_size, 0
	.set k2.uses_vcc, 0
	.set k2.uses_flat_scratch, 0
	.set k2.has_dyn_sized_stack, 0
	.set k2.has_recursion, 0
	.set k2.has_indirect_call, 0
	.p2align	2
	.type	rec,@function
rec:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s0, s33
	s_mov_b32 s33, s32
	s_or_saveexec_b64 s[2:3], -1
	scratch_store_dword off, v41, s33 offset:4
	s_mov_b64 exec, s[2:3]
	v_writelane_b32 v41, s0, 4
	v_writelane_b32 v41, s30, 0
	v_writelane_b32 v41, s31, 1
	v_writelane_b32 v41, s34, 2
	v_cmp_ne_u32_e32 vcc, 0, v0
	v_mov_b32_e32 v1, 1
	s_add_i32 s32, s32, 16
	scratch_store_dword off, v40, s33
	v_writelane_b32 v41, s35, 3
	s_and_saveexec_b64 s[34:35], vcc
	s_cbranch_execz .LBB3_2
	v_add_u32_e32 v1, -1, v0
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, rec@rel32@lo+4
	s_addc_u32 s1, s1, rec@rel32@hi+12
	v_mov_b32_e32 v40, v0
	v_mov_b32_e32 v0, v1
	s_swappc_b64 s[30:31], s[0:1]
	v_mul_lo_u32 v1, v0, v40
.LBB3_2:
	s_or_b64 exec, exec, s[34:35]
	scratch_load_dword v40, off, s33
	v_mov_b32_e32 v0, v1
	v_readlane_b32 s35, v41, 3
	v_readlane_b32 s34, v41, 2
	v_readlane_b32 s31, v41, 1
	v_readlane_b32 s30, v41, 0
	s_mov_b32 s32, s33
	v_readlane_b32 s0, v41, 4
	s_or_saveexec_b64 s[2:3], -1
	scratch_load_dword v41, off, s33 offset:4
	s_mov_b64 exec, s[2:3]
	s_mov_b32 s33, s0
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	rec, .Lfunc_end3-rec
	.set .Lrec.num_vgpr, 42
	.set .Lrec.num_agpr, 0
	.set .Lrec.numbered_sgpr, 36
	.set .Lrec.num_named_barrier, 0
	.set .Lrec.private_seg_size, 16
	.set .Lrec.uses_vcc, 1
	.set .Lrec.uses_flat_scratch, 0
	.set .Lrec.has_dyn_sized_stack, 0
	.set .Lrec.has_recursion, 1
	.set .Lrec.has_indirect_call, 0
	.globl	k3
	.p2align	8
	.type	k3,@function
k3:
	s_add_u32 s48, s4, 8
	s_addc_u32 s49, s5, 0
	s_mov_b64 s[38:39], s[0:1]
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, extf@gotpcrel32@lo+4
	s_addc_u32 s1, s1, extf@gotpcrel32@hi+12
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	s_mov_b32 s33, s10
	s_load_dwordx2 s[52:53], s[4:5], 0x0
	s_mov_b32 s50, s9
	s_mov_b32 s51, s8
	s_mov_b64 s[34:35], s[6:7]
	v_mov_b32_e32 v40, v0
	s_mov_b64 s[4:5], s[38:39]
	s_mov_b64 s[6:7], s[2:3]
	s_mov_b64 s[8:9], s[48:49]
	s_mov_b64 s[10:11], s[34:35]
	s_mov_b32 s12, s51
	s_mov_b32 s13, s50
	s_mov_b32 s14, s33
	v_mov_b32_e32 v31, v0
	v_mov_b32_e32 v0, 4
	s_mov_b32 s32, 0
	s_mov_b64 s[36:37], s[2:3]
	v_mov_b32_e32 v42, 0
	s_waitcnt lgkmcnt(0)
	s_swappc_b64 s[30:31], s[0:1]
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, rec@rel32@lo+4
	s_addc_u32 s1, s1, rec@rel32@hi+12
	s_mov_b64 s[4:5], s[38:39]
	s_mov_b64 s[6:7], s[36:37]
	s_mov_b64 s[8:9], s[48:49]
	s_mov_b64 s[10:11], s[34:35]
	s_mov_b32 s12, s51
	s_mov_b32 s13, s50
	s_mov_b32 s14, s33
	v_mov_b32_e32 v31, v40
	v_mov_b32_e32 v0, 5
	s_swappc_b64 s[30:31], s[0:1]
	global_store_dword v42, v0, s[52:53]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel k3
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16
		.amdhsa_kernarg_size 264
		.amdhsa_user_sgpr_count 8
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr max(totalnumvgprs(k3.num_agpr, k3.num_vgpr), 1, 0)
		.amdhsa_next_free_sgpr max(k3.numbered_sgpr+6, 1, 0)-6
		.amdhsa_accum_offset (((((alignto(max(1, k3.num_vgpr), 4)/4)-1)&~65536)&63)+1)*4
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end4:
	.size	k3, .Lfunc_end4-k3
	.set k3.num_vgpr, max(43, amdgpu.max_num_vgpr)
	.set k3.num_agpr, max(0, amdgpu.max_num_agpr)
	.set k3.numbered_sgpr, max(54, amdgpu.max_num_sgpr)
	.set k3.num_named_barrier, max(0, amdgpu.max_num_named_barrier)
	.set k3.private_seg_size, 0+max(.Lrec.private_seg_size)
	.set k3.uses_vcc, 1
	.set k3.uses_flat_scratch, 1
	.set k3.has_dyn_sized_stack, 1
	.set k3.has_recursion, 1
	.set k3.has_indirect_call, 1
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 42
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 36
	.set amdgpu.max_num_named_barrier, 0
	.text
	.type	gv,@object
	.data
	.globl	gv
	.p2align	2, 0x0
gv:
	.long	5
	.size	gv, 4
	.type	cst,@object
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
cst:
	.long	1
	.long	2
	.long	3
	.long	4
	.size	cst, 16
	.type	.Lstr,@object
.Lstr:
	.asciz	"hello"
	.size	.Lstr, 6
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .name:           p
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           n
        .offset:         8
        .size:           4
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .max_flat_workgroup_size: 1024
    .name:           k1
    .private_segment_fixed_size: 132
    .sgpr_count:     39
    .sgpr_spill_count: 0
    .symbol:         k1.kd
    .uses_dynamic_stack: true
    .vgpr_count:     32
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .name:           p
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           f
        .offset:         8
        .size:           4
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .max_flat_workgroup_size: 256
    .name:           k2
    .private_segment_fixed_size: 0
    .sgpr_count:     12
    .sgpr_spill_count: 0
    .symbol:         k2.kd
    .uses_dynamic_stack: false
    .vgpr_count:     2
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .name:           p
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         12
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         20
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         22
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         24
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         26
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         28
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         30
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         48
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         72
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         88
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         96
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         104
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         112
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         120
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         208
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 264
    .max_flat_workgroup_size: 1024
    .name:           k3
    .private_segment_fixed_size: 16
    .sgpr_count:     60
    .sgpr_spill_count: 0
    .symbol:         k3.kd
    .uses_dynamic_stack: true
    .vgpr_count:     43
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
;> gfx950 V6
;> .text type 1 flags 0x6 align 256 size 2304
;>   00008cbf 200080be 0100fdd1 00050100
;>   006071de 01007f00 700f8cbf 006051de
;>   01007f00 700f8cbf 1e1d80be 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   0a008ebe 06018abe 820102c0 08000000
;>   09008dbe 08008cbe 001c88be 08ff0880
;>   00000000 09ff0982 00000000 040206c0
;>   00000000 7fc08cbf 069f0790 0682868e
;>   ff000226 ff030000 00033e7e c40302c0
;>   00000000 001c88be 08ff0880 00000000
;>   09ff0982 00000000 08060680 09070782
;>   030202c0 00000000 020406c0 00000000
;>   020186be 8000a0be 82020424 7fc08cbf
;>   0f080f81 04900880 05800982 001c84be
;>   04ff0480 00000000 05ff0582 00000000
;>   820406c0 00000000 000184be 0f02007e
;>   7fc08cbf 121e9ebe 008070dc 02001000
;>   000081bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   820002c0 08000000 020006c0 00000000
;>   82000024 ff000026 fc0f0000 7fc08cbf
;>   0202027e 00001ad8 00010000 7fc08cbf
;>   00006cd8 00000001 8002007e 7fc08cbf
;>   008070dc 00010000 000081bf 00008cbf
;>   210080be 2000a1be c12182be 044070dc
;>   00292100 0201febe 29008ad2 00080100
;>   29008ad2 1e000100 29008ad2 1f020100
;>   29008ad2 22040100 80009a7d 8102027e
;>   20902081 004070dc 00282100 29008ad2
;>   23060100 6a20a2be 0b0088bf c1000268
;>   001c80be 00ff0080 00000000 01ff0182
;>   00000000 0003507e 0103007e 001e9ebe
;>   010085d2 00510200 7e22fe87 004050dc
;>   00002128 0103007e 230089d2 29070100
;>   220089d2 29050100 1f0089d2 29030100
;>   1e0089d2 29010100 2100a0be 000089d2
;>   29090100 c12182be 044050dc 00002129
;>   0201febe 0000a1be 700f8cbf 1e1d80be
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   04883080 05803182 0001a6be 001c80be
;>   00ff0080 00000000 01ff0182 00000000
;>   000006c0 00000000 0a00a1be 020d06c0
;>   00000000 0900b2be 0800b3be 0601a2be
;>   0003507e 260184be 020186be 300188be
;>   22018abe 33008cbe 32008dbe 21008ebe
;>   00033e7e 8402007e 8000a0be 0201a4be
;>   8002547e 7fc08cbf 001e9ebe 001c80be
;>   00ff0080 00000000 01ff0182 00000000
;>   260184be 240186be 300188be 22018abe
;>   33008cbe 32008dbe 21008ebe 28033e7e
;>   8502007e 001e9ebe 008070dc 2a003400
;>   000081bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   at 0x120: R_AMDGPU_GOTPCREL32_LO gv +4
;>   at 0x128: R_AMDGPU_GOTPCREL32_HI gv +12
;>   at 0x15c: R_AMDGPU_REL32_LO .rodata +196
;>   at 0x164: R_AMDGPU_REL32_HI .rodata +204
;>   at 0x1a4: R_AMDGPU_GOTPCREL32_LO leaf +4
;>   at 0x1ac: R_AMDGPU_GOTPCREL32_HI leaf +12
;>   at 0x2b8: R_AMDGPU_REL32_LO .text +592
;>   at 0x2c0: R_AMDGPU_REL32_HI .text +600
;>   at 0x414: R_AMDGPU_GOTPCREL32_LO extf +4
;>   at 0x41c: R_AMDGPU_GOTPCREL32_HI extf +12
;>   at 0x484: R_AMDGPU_REL32_LO .text +592
;>   at 0x48c: R_AMDGPU_REL32_HI .text +600
;> .rodata type 1 flags 0x2 align 64 size 214
;>   00000000 84000000 10010000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 07000000
;>   0301af00 91130000 1e080000 00000000
;>   00010000 00000000 10010000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   0c03af00 90130000 1e000000 00000000
;>   00000000 10000000 08010000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 0a000000
;>   c501af00 91130000 1e080000 00000000
;>   01000000 02000000 03000000 04000000
;>   68656c6c 6f00
;>   at 0x10: R_AMDGPU_REL64 k1 +16
;>   at 0x50: R_AMDGPU_REL64 k2 +16
;>   at 0x90: R_AMDGPU_REL64 k3 +16
;> .AMDGPU.gpr_maximums type 1 flags 0x0 align 1 size 0
;> .data type 1 flags 0x3 align 4 size 4
;>   05000000
;> .note.GNU-stack type 1 flags 0x0 align 1 size 0
;> .note type 7 flags 0x2 align 4 size 4092
;> leaf.num_vgpr: absolute 0x2 size 0 Local NoType Default
;> leaf.num_agpr: absolute 0x0 size 0 Local NoType Default
;> leaf.numbered_sgpr: absolute 0x21 size 0 Local NoType Default
;> leaf.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> leaf.private_seg_size: absolute 0x84 size 0 Local NoType Default
;> leaf.uses_vcc: absolute 0x0 size 0 Local NoType Default
;> leaf.uses_flat_scratch: absolute 0x0 size 0 Local NoType Default
;> leaf.has_dyn_sized_stack: absolute 0x0 size 0 Local NoType Default
;> leaf.has_recursion: absolute 0x0 size 0 Local NoType Default
;> leaf.has_indirect_call: absolute 0x0 size 0 Local NoType Default
;> cst: .rodata 0xc0 size 16 Local Object Default
;> k1.num_vgpr: absolute 0x20 size 0 Local NoType Default
;> k1.num_agpr: absolute 0x0 size 0 Local NoType Default
;> k1.numbered_sgpr: absolute 0x21 size 0 Local NoType Default
;> k1.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> k1.private_seg_size: absolute 0x84 size 0 Local NoType Default
;> k1.uses_vcc: absolute 0x0 size 0 Local NoType Default
;> k1.uses_flat_scratch: absolute 0x0 size 0 Local NoType Default
;> k1.has_dyn_sized_stack: absolute 0x0 size 0 Local NoType Default
;> k1.has_recursion: absolute 0x1 size 0 Local NoType Default
;> k1.has_indirect_call: absolute 0x0 size 0 Local NoType Default
;> k2.num_vgpr: absolute 0x2 size 0 Local NoType Default
;> k2.num_agpr: absolute 0x0 size 0 Local NoType Default
;> k2.numbered_sgpr: absolute 0x6 size 0 Local NoType Default
;> k2.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> k2.private_seg_size: absolute 0x0 size 0 Local NoType Default
;> k2.uses_vcc: absolute 0x0 size 0 Local NoType Default
;> k2.uses_flat_scratch: absolute 0x0 size 0 Local NoType Default
;> k2.has_dyn_sized_stack: absolute 0x0 size 0 Local NoType Default
;> k2.has_recursion: absolute 0x0 size 0 Local NoType Default
;> k2.has_indirect_call: absolute 0x0 size 0 Local NoType Default
;> rec: .text 0x24c size 228 Local Func Default
;> k3.num_vgpr: absolute 0x2b size 0 Local NoType Default
;> k3.num_agpr: absolute 0x0 size 0 Local NoType Default
;> k3.numbered_sgpr: absolute 0x36 size 0 Local NoType Default
;> amdgpu.max_num_vgpr: absolute 0x2a size 0 Local NoType Default
;> amdgpu.max_num_agpr: absolute 0x0 size 0 Local NoType Default
;> amdgpu.max_num_sgpr: absolute 0x24 size 0 Local NoType Default
;> k3.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> amdgpu.max_num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> k3.private_seg_size: absolute 0x10 size 0 Local NoType Default
;> k3.uses_vcc: absolute 0x1 size 0 Local NoType Default
;> k3.uses_flat_scratch: absolute 0x1 size 0 Local NoType Default
;> k3.has_dyn_sized_stack: absolute 0x1 size 0 Local NoType Default
;> k3.has_recursion: absolute 0x1 size 0 Local NoType Default
;> k3.has_indirect_call: absolute 0x1 size 0 Local NoType Default
;> leaf: .text 0x0 size 44 Global Func Default
;> k1: .text 0x100 size 212 Global Func Protected
;> gv: .data 0x0 size 4 Global Object Default
;> k1.kd: .rodata 0x0 size 64 Global Object Default
;> k2: .text 0x200 size 76 Global Func Protected
;> k2.kd: .rodata 0x40 size 64 Global Object Default
;> k3: .text 0x400 size 196 Global Func Protected
;> extf: undefined 0x0 size 0 Global NoType Default
;> k3.kd: .rodata 0x80 size 64 Global Object Default
;> amdhsa.kernels:
;>   - .agpr_count: 0
;>     .args:
;>       - .address_space: global
;>         .name: p
;>         .offset: 0
;>         .size: 8
;>         .value_kind: global_buffer
;>       - .name: "n"
;>         .offset: 8
;>         .size: 4
;>         .value_kind: by_value
;>       - .offset: 16
;>         .size: 4
;>         .value_kind: hidden_block_count_x
;>       - .offset: 20
;>         .size: 4
;>         .value_kind: hidden_block_count_y
;>       - .offset: 24
;>         .size: 4
;>         .value_kind: hidden_block_count_z
;>       - .offset: 28
;>         .size: 2
;>         .value_kind: hidden_group_size_x
;>       - .offset: 30
;>         .size: 2
;>         .value_kind: hidden_group_size_y
;>       - .offset: 32
;>         .size: 2
;>         .value_kind: hidden_group_size_z
;>       - .offset: 34
;>         .size: 2
;>         .value_kind: hidden_remainder_x
;>       - .offset: 36
;>         .size: 2
;>         .value_kind: hidden_remainder_y
;>       - .offset: 38
;>         .size: 2
;>         .value_kind: hidden_remainder_z
;>       - .offset: 56
;>         .size: 8
;>         .value_kind: hidden_global_offset_x
;>       - .offset: 64
;>         .size: 8
;>         .value_kind: hidden_global_offset_y
;>       - .offset: 72
;>         .size: 8
;>         .value_kind: hidden_global_offset_z
;>       - .offset: 80
;>         .size: 2
;>         .value_kind: hidden_grid_dims
;>       - .offset: 96
;>         .size: 8
;>         .value_kind: hidden_hostcall_buffer
;>       - .offset: 104
;>         .size: 8
;>         .value_kind: hidden_multigrid_sync_arg
;>       - .offset: 112
;>         .size: 8
;>         .value_kind: hidden_heap_v1
;>       - .offset: 120
;>         .size: 8
;>         .value_kind: hidden_default_queue
;>       - .offset: 128
;>         .size: 8
;>         .value_kind: hidden_completion_action
;>       - .offset: 216
;>         .size: 8
;>         .value_kind: hidden_queue_ptr
;>     .group_segment_fixed_size: 0
;>     .kernarg_segment_align: 8
;>     .kernarg_segment_size: 272
;>     .max_flat_workgroup_size: 1024
;>     .name: k1
;>     .private_segment_fixed_size: 132
;>     .sgpr_count: 39
;>     .sgpr_spill_count: 0
;>     .symbol: k1.kd
;>     .uses_dynamic_stack: true
;>     .vgpr_count: 32
;>     .vgpr_spill_count: 0
;>     .wavefront_size: 64
;>   - .agpr_count: 0
;>     .args:
;>       - .address_space: global
;>         .name: p
;>         .offset: 0
;>         .size: 8
;>         .value_kind: global_buffer
;>       - .name: f
;>         .offset: 8
;>         .size: 4
;>         .value_kind: by_value
;>       - .offset: 16
;>         .size: 4
;>         .value_kind: hidden_block_count_x
;>       - .offset: 20
;>         .size: 4
;>         .value_kind: hidden_block_count_y
;>       - .offset: 24
;>         .size: 4
;>         .value_kind: hidden_block_count_z
;>       - .offset: 28
;>         .size: 2
;>         .value_kind: hidden_group_size_x
;>       - .offset: 30
;>         .size: 2
;>         .value_kind: hidden_group_size_y
;>       - .offset: 32
;>         .size: 2
;>         .value_kind: hidden_group_size_z
;>       - .offset: 34
;>         .size: 2
;>         .value_kind: hidden_remainder_x
;>       - .offset: 36
;>         .size: 2
;>         .value_kind: hidden_remainder_y
;>       - .offset: 38
;>         .size: 2
;>         .value_kind: hidden_remainder_z
;>       - .offset: 56
;>         .size: 8
;>         .value_kind: hidden_global_offset_x
;>       - .offset: 64
;>         .size: 8
;>         .value_kind: hidden_global_offset_y
;>       - .offset: 72
;>         .size: 8
;>         .value_kind: hidden_global_offset_z
;>       - .offset: 80
;>         .size: 2
;>         .value_kind: hidden_grid_dims
;>       - .offset: 96
;>         .size: 8
;>         .value_kind: hidden_hostcall_buffer
;>       - .offset: 104
;>         .size: 8
;>         .value_kind: hidden_multigrid_sync_arg
;>       - .offset: 112
;>         .size: 8
;>         .value_kind: hidden_heap_v1
;>       - .offset: 120
;>         .size: 8
;>         .value_kind: hidden_default_queue
;>       - .offset: 128
;>         .size: 8
;>         .value_kind: hidden_completion_action
;>       - .offset: 216
;>         .size: 8
;>         .value_kind: hidden_queue_ptr
;>     .group_segment_fixed_size: 256
;>     .kernarg_segment_align: 8
;>     .kernarg_segment_size: 272
;>     .max_flat_workgroup_size: 256
;>     .name: k2
;>     .private_segment_fixed_size: 0
;>     .sgpr_count: 12
;>     .sgpr_spill_count: 0
;>     .symbol: k2.kd
;>     .uses_dynamic_stack: false
;>     .vgpr_count: 2
;>     .vgpr_spill_count: 0
;>     .wavefront_size: 64
;>   - .agpr_count: 0
;>     .args:
;>       - .address_space: global
;>         .name: p
;>         .offset: 0
;>         .size: 8
;>         .value_kind: global_buffer
;>       - .offset: 8
;>         .size: 4
;>         .value_kind: hidden_block_count_x
;>       - .offset: 12
;>         .size: 4
;>         .value_kind: hidden_block_count_y
;>       - .offset: 16
;>         .size: 4
;>         .value_kind: hidden_block_count_z
;>       - .offset: 20
;>         .size: 2
;>         .value_kind: hidden_group_size_x
;>       - .offset: 22
;>         .size: 2
;>         .value_kind: hidden_group_size_y
;>       - .offset: 24
;>         .size: 2
;>         .value_kind: hidden_group_size_z
;>       - .offset: 26
;>         .size: 2
;>         .value_kind: hidden_remainder_x
;>       - .offset: 28
;>         .size: 2
;>         .value_kind: hidden_remainder_y
;>       - .offset: 30
;>         .size: 2
;>         .value_kind: hidden_remainder_z
;>       - .offset: 48
;>         .size: 8
;>         .value_kind: hidden_global_offset_x
;>       - .offset: 56
;>         .size: 8
;>         .value_kind: hidden_global_offset_y
;>       - .offset: 64
;>         .size: 8
;>         .value_kind: hidden_global_offset_z
;>       - .offset: 72
;>         .size: 2
;>         .value_kind: hidden_grid_dims
;>       - .offset: 88
;>         .size: 8
;>         .value_kind: hidden_hostcall_buffer
;>       - .offset: 96
;>         .size: 8
;>         .value_kind: hidden_multigrid_sync_arg
;>       - .offset: 104
;>         .size: 8
;>         .value_kind: hidden_heap_v1
;>       - .offset: 112
;>         .size: 8
;>         .value_kind: hidden_default_queue
;>       - .offset: 120
;>         .size: 8
;>         .value_kind: hidden_completion_action
;>       - .offset: 208
;>         .size: 8
;>         .value_kind: hidden_queue_ptr
;>     .group_segment_fixed_size: 0
;>     .kernarg_segment_align: 8
;>     .kernarg_segment_size: 264
;>     .max_flat_workgroup_size: 1024
;>     .name: k3
;>     .private_segment_fixed_size: 16
;>     .sgpr_count: 60
;>     .sgpr_spill_count: 0
;>     .symbol: k3.kd
;>     .uses_dynamic_stack: true
;>     .vgpr_count: 43
;>     .vgpr_spill_count: 0
;>     .wavefront_size: 64
;> amdhsa.target: amdgcn-amd-amdhsa--gfx950
;> amdhsa.version:
;>   - 1
;>   - 2
