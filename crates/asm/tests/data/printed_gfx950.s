; target: gfx950
; What LLVM 22 prints for functions, kernels and data of an own program, with DWARF 5.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 5
	.section	.text.cdf,"axG",@progbits,cd,comdat
	.weak	cdf
	.p2align	2
	.type	cdf,@function
cdf:
.Lfunc_begin0:
	.cfi_sections .debug_frame
	.cfi_startproc
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end0:
	.size	cdf, .Lfunc_end0-cdf
	.cfi_endproc
	.set cdf.num_vgpr, 0
	.set cdf.num_agpr, 0
	.set cdf.numbered_sgpr, 32
	.set cdf.num_named_barrier, 0
	.set cdf.private_seg_size, 0
	.set cdf.uses_vcc, 0
	.set cdf.uses_flat_scratch, 0
	.set cdf.has_dyn_sized_stack, 0
	.set cdf.has_recursion, 0
	.set cdf.has_indirect_call, 0
	.text
	.globl	f
	.p2align	2
	.type	f,@function
f:
.Lfunc_begin1:
	.file	0 "/x" "a.c" md5 0x0123456789abcdef0123456789abcdef
	.loc	0 0 0
	.cfi_startproc
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
.Ltmp0:
	.loc	0 4 2 prologue_end
	buffer_wbl2 sc0 sc1
	buffer_inv sc0 sc1
	.loc	0 5 2
	s_setpc_b64 s[30:31]
.Ltmp1:
.Lfunc_end1:
	.size	f, .Lfunc_end1-f
	.cfi_endproc
	.set f.num_vgpr, 0
	.set f.num_agpr, 0
	.set f.numbered_sgpr, 32
	.set f.num_named_barrier, 0
	.set f.private_seg_size, 0
	.set f.uses_vcc, 0
	.set f.uses_flat_scratch, 0
	.set f.has_dyn_sized_stack, 0
	.set f.has_recursion, 0
	.set f.has_indirect_call, 0
	.protected	g
	.weak	g
	.p2align	2
	.type	g,@function
g:
.Lfunc_begin2:
	.cfi_startproc
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s0, s33
	s_mov_b32 s33, s32
	s_or_saveexec_b64 s[2:3], -1
	scratch_store_dword off, v40, s33
	s_mov_b64 exec, s[2:3]
	s_add_i32 s32, s32, 16
	v_writelane_b32 v40, s0, 2
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, cdf@gotpcrel32@lo+4
	s_addc_u32 s1, s1, cdf@gotpcrel32@hi+12
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	v_writelane_b32 v40, s30, 0
	v_writelane_b32 v40, s31, 1
	s_waitcnt lgkmcnt(0)
	s_swappc_b64 s[30:31], s[0:1]
	v_readlane_b32 s31, v40, 1
	v_readlane_b32 s30, v40, 0
	s_mov_b32 s32, s33
	v_readlane_b32 s0, v40, 2
	s_or_saveexec_b64 s[2:3], -1
	scratch_load_dword v40, off, s33
	s_mov_b64 exec, s[2:3]
	s_mov_b32 s33, s0
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end2:
	.size	g, .Lfunc_end2-g
	.cfi_endproc
	.set g.num_vgpr, max(41, cdf.num_vgpr)
	.set g.num_agpr, max(0, cdf.num_agpr)
	.set g.numbered_sgpr, max(34, cdf.numbered_sgpr)
	.set g.num_named_barrier, max(0, cdf.num_named_barrier)
	.set g.private_seg_size, 16+max(cdf.private_seg_size)
	.set g.uses_vcc, or(1, cdf.uses_vcc)
	.set g.uses_flat_scratch, or(0, cdf.uses_flat_scratch)
	.set g.has_dyn_sized_stack, or(0, cdf.has_dyn_sized_stack)
	.set g.has_recursion, or(1, cdf.has_recursion)
	.set g.has_indirect_call, or(0, cdf.has_indirect_call)
	.globl	k
	.p2align	8
	.type	k,@function
k:
.Lfunc_begin3:
	.loc	0 0 0
	.cfi_startproc
	s_mov_b32 s14, s10
	s_mov_b64 s[10:11], s[6:7]
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, com@gotpcrel32@lo+4
	s_addc_u32 s7, s7, com@gotpcrel32@hi+12
	s_mov_b32 s13, s9
	s_mov_b32 s12, s8
	s_load_dwordx2 s[8:9], s[6:7], 0x0
.Ltmp2:
	.loc	0 9 2 prologue_end
	s_load_dwordx2 s[16:17], s[4:5], 0x0
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, wk@gotpcrel32@lo+4
	s_addc_u32 s7, s7, wk@gotpcrel32@hi+12
	s_load_dwordx2 s[6:7], s[6:7], 0x0
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_load_dword s8, s[8:9], 0x0
	v_mov_b32_e32 v31, v0
	s_mov_b32 s32, 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s8
	global_store_dword v1, v2, s[16:17]
	global_load_dword v3, v1, s[6:7]
	s_add_u32 s8, s4, 16
	s_addc_u32 s9, s5, 0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@gotpcrel32@lo+4
	s_addc_u32 s5, s5, f@gotpcrel32@hi+12
	s_load_dwordx2 s[18:19], s[4:5], 0x0
	v_mov_b32_e32 v2, 5
	s_mov_b64 s[4:5], s[0:1]
	s_mov_b64 s[6:7], s[2:3]
	ds_write_b32 v1, v2 offset:16
	s_waitcnt vmcnt(0)
	global_store_dword v1, v3, s[16:17] sc0 sc1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_swappc_b64 s[30:31], s[18:19]
	.loc	0 10 2
	s_endpgm
.Ltmp3:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_reserve_xnack_mask 1
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
.Lfunc_end3:
	.size	k, .Lfunc_end3-k
	.cfi_endproc
	.set k.num_vgpr, max(32, f.num_vgpr)
	.set k.num_agpr, max(0, f.num_agpr)
	.set k.numbered_sgpr, max(33, f.numbered_sgpr)
	.set k.num_named_barrier, max(0, f.num_named_barrier)
	.set k.private_seg_size, 0+max(f.private_seg_size)
	.set k.uses_vcc, or(0, f.uses_vcc)
	.set k.uses_flat_scratch, or(0, f.uses_flat_scratch)
	.set k.has_dyn_sized_stack, or(0, f.has_dyn_sized_stack)
	.set k.has_recursion, or(1, f.has_recursion)
	.set k.has_indirect_call, or(0, f.has_indirect_call)
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 41
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 34
	.set amdgpu.max_num_named_barrier, 0
	.text
	.no_dead_strip	u
	.hidden	u
	.type	u,@object
	.data
	.weak	u
	.p2align	3, 0x0
u:
	.quad	1
	.quad	-2
	.quad	f
	.size	u, 24
	.type	tab,@object
	.section	.data.rel.ro,"aw",@progbits
	.globl	tab
	.p2align	3, 0x0
tab:
	.quad	f
	.quad	g
	.size	tab, 16
	.type	bss,@object
	.section	.bss,"aw",@nobits
	.globl	bss
	.p2align	4, 0x0
bss:
	.zero	100
	.size	bss, 100
	.type	com,@object
	.comm	com,4,2
	.type	.Ls1,@object
	.section	.rodata.str1.1,"aMS",@progbits,1
.Ls1:
	.asciz	"abc"
	.size	.Ls1, 4
	.type	.Ls2,@object
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	1, 0x0
.Ls2:
	.short	97
	.short	0
	.short	98
	.short	7
	.short	8
	.short	9
	.short	3
	.short	0
	.size	.Ls2, 16
	.type	dbl,@object
	.section	.rodata,"a",@progbits
	.globl	dbl
	.p2align	4, 0x0
dbl:
	.quad	0x3ff8000000000000
	.quad	0x7ff8000000000000
	.quad	0x8000000000000000
	.size	dbl, 24
	.type	flt,@object
	.globl	flt
	.p2align	4, 0x0
flt:
	.long	0x3f000000
	.byte	7
	.zero	3
	.quad	1096246371337559929
	.quad	66926
	.short	0x3c00
	.zero	6
	.size	flt, 32
	.type	cd,@object
	.section	.data.cd,"awG",@progbits,cd,comdat
	.weak	cd
	.p2align	2, 0x0
cd:
	.long	5
	.size	cd, 4
	.globl	al
	.type	al,@function
.set al, g
	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	37
	.byte	19
	.byte	5
	.byte	3
	.byte	37
	.byte	114
	.byte	23
	.byte	16
	.byte	23
	.byte	27
	.byte	37
	.byte	17
	.byte	1
	.byte	85
	.byte	35
	.byte	115
	.byte	23
	.byte	116
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	46
	.byte	0
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	3
	.byte	46
	.byte	0
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	5
	.byte	1
	.byte	8
	.long	.debug_abbrev
	.byte	1
	.byte	0
	.short	12
	.byte	1
	.long	.Lstr_offsets_base0
	.long	.Lline_table_start0
	.byte	2
	.quad	0
	.byte	0
	.long	.Laddr_table_base0
	.long	.Lrnglists_table_base0
	.byte	2
	.byte	0
	.long	.Lfunc_end1-.Lfunc_begin1
	.byte	2
	.byte	144
	.byte	64
	.byte	3
	.byte	0
	.byte	3
	.byte	3
	.byte	1
	.long	.Lfunc_end3-.Lfunc_begin3
	.byte	4
	.byte	0
	.byte	8
	.byte	0
.Ldebug_info_end0:
	.section	.debug_rnglists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0
.Ldebug_list_header_start0:
	.short	5
	.byte	8
	.byte	0
	.long	1
.Lrnglists_table_base0:
	.long	.Ldebug_ranges0-.Lrnglists_table_base0
.Ldebug_ranges0:
	.byte	1
	.byte	0
	.byte	4
	.uleb128 .Lfunc_begin1-.Lfunc_begin1
	.uleb128 .Lfunc_end1-.Lfunc_begin1
	.byte	4
	.uleb128 .Lfunc_begin3-.Lfunc_begin1
	.uleb128 .Lfunc_end3-.Lfunc_begin1
	.byte	0
.Ldebug_list_header_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	24
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"me"
.Linfo_string1:
	.asciz	"a.c"
.Linfo_string2:
	.asciz	"/x"
.Linfo_string3:
	.asciz	"f"
.Linfo_string4:
	.asciz	"k"
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0
.Ldebug_addr_start0:
	.short	5
	.byte	8
	.byte	0
.Laddr_table_base0:
	.quad	.Lfunc_begin1
	.quad	.Lfunc_begin3
.Ldebug_addr_end0:
	.section	.debug_names,"",@progbits
	.long	.Lnames_end0-.Lnames_start0
.Lnames_start0:
	.short	5
	.short	0
	.long	1
	.long	0
	.long	0
	.long	2
	.long	2
	.long	.Lnames_abbrev_end0-.Lnames_abbrev_start0
	.long	8
	.ascii	"LLVM0700"
	.long	.Lcu_begin0
	.long	1
	.long	2
	.long	177680
	.long	177675
	.long	.Linfo_string4
	.long	.Linfo_string3
	.long	.Lnames1-.Lnames_entries0
	.long	.Lnames0-.Lnames_entries0
.Lnames_abbrev_start0:
	.byte	1
	.byte	46
	.byte	3
	.byte	19
	.byte	4
	.byte	25
	.byte	0
	.byte	0
	.byte	0
.Lnames_abbrev_end0:
.Lnames_entries0:
.Lnames1:
.L1:
	.byte	1
	.long	55
	.byte	0
.Lnames0:
.L0:
	.byte	1
	.long	43
	.byte	0
	.p2align	2, 0x0
.Lnames_end0:
	.weak	wk
	.ident	"my clang"
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
      - .address_space:  generic
        .name:           q
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
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
      - .offset:         136
        .size:           4
        .value_kind:     hidden_dynamic_lds_size
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .max_flat_workgroup_size: 1024
    .name:           k
    .private_segment_fixed_size: 0
    .sgpr_count:     39
    .sgpr_spill_count: 0
    .symbol:         k.kd
    .uses_dynamic_stack: true
    .vgpr_count:     32
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
	.section	.debug_line,"",@progbits
.Lline_table_start0:
;> gfx950 V5
;> .text type 1 flags 0x6 align 256 size 1536
;>   00008cbf 00c0a0e0 00000000 00c0a4e0
;>   00000000 1e1d80be 00008cbf 210080be
;>   2000a1be c12182be 004070dc 00282100
;>   0201febe 20902081 28008ad2 00040100
;>   001c80be 00ff0080 00000000 01ff0182
;>   00000000 000006c0 00000000 28008ad2
;>   1e000100 28008ad2 1f020100 7fc08cbf
;>   001e9ebe 1f0089d2 28030100 1e0089d2
;>   28010100 2100a0be 000089d2 28050100
;>   c12182be 004050dc 00002128 0201febe
;>   0000a1be 700f8cbf 1e1d80be 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   000080bf 000080bf 000080bf 000080bf
;>   0a008ebe 06018abe 001c86be 06ff0680
;>   00000000 07ff0782 00000000 09008dbe
;>   08008cbe 030206c0 00000000 020406c0
;>   00000000 001c86be 06ff0680 00000000
;>   07ff0782 00000000 830106c0 00000000
;>   8002027e 7fc08cbf 040202c0 00000000
;>   00033e7e 8000a0be 7fc08cbf 0802047e
;>   008070dc 01021000 008050dc 01000603
;>   04900880 05800982 001c84be 04ff0480
;>   00000000 05ff0582 00000000 820406c0
;>   00000000 8502047e 000184be 020186be
;>   10001ad8 01020000 700f8cbf 008071de
;>   01031000 70008cbf 121e9ebe 000081bf
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
;>   at 0x48: R_AMDGPU_GOTPCREL32_LO cdf +4
;>   at 0x50: R_AMDGPU_GOTPCREL32_HI cdf +12
;>   at 0x110: R_AMDGPU_GOTPCREL32_LO com +4
;>   at 0x118: R_AMDGPU_GOTPCREL32_HI com +12
;>   at 0x13c: R_AMDGPU_GOTPCREL32_LO wk +4
;>   at 0x144: R_AMDGPU_GOTPCREL32_HI wk +12
;>   at 0x190: R_AMDGPU_GOTPCREL32_LO f +4
;>   at 0x198: R_AMDGPU_GOTPCREL32_HI f +12
;> .group type 17 flags 0x0 align 4 size 12
;>   01000000 03000000 0b000000
;> .text.cdf type 1 flags 0x206 align 4 size 8
;>   00008cbf 1e1d80be
;> .rodata type 1 flags 0x2 align 64 size 128
;>   00000000 00000000 10010000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 07000000
;>   0301af00 91130000 1e080000 00000000
;>   00000000 0000f83f 00000000 0000f87f
;>   00000000 00000080 00000000 00000000
;>   0000003f 07000000 79dfe23d 44a6360f
;>   6e050100 00000000 003c0000 00000000
;>   at 0x10: R_AMDGPU_REL64 k +16
;> .AMDGPU.gpr_maximums type 1 flags 0x0 align 1 size 0
;> .data type 1 flags 0x3 align 8 size 24
;>   01000000 00000000 feffffff ffffffff
;>   00000000 00000000
;>   at 0x10: R_AMDGPU_ABS64 f +0
;> .data.rel.ro type 1 flags 0x3 align 8 size 16
;>   00000000 00000000 00000000 00000000
;>   at 0x0: R_AMDGPU_ABS64 f +0
;>   at 0x8: R_AMDGPU_ABS64 g +0
;> .bss type 8 flags 0x3 align 16 size 100
;> .rodata.str1.1 type 1 flags 0x32 align 1 size 4
;>   61626300
;> .rodata.cst16 type 1 flags 0x12 align 2 size 16
;>   61000000 62000700 08000900 03000000
;> .data.cd type 1 flags 0x203 align 4 size 4
;>   05000000
;> .debug_abbrev type 1 flags 0x0 align 1 size 62
;>   01110125 25130503 25721710 171b2511
;>   01552373 17741700 00022e00 111b1206
;>   40180325 3a0b3b0b 3f190000 032e0011
;>   1b120603 253a0b3b 0b3f1900 0000
;> .debug_info type 1 flags 0x0 align 1 size 65
;>   3d000000 05000108 00000000 01000c00
;>   01000000 00000000 00020000 00000000
;>   00000000 00000000 00000002 00180000
;>   00029040 03000303 01d00000 00040008
;>   00
;>   at 0x8: R_AMDGPU_ABS32 .debug_abbrev +0
;>   at 0x11: R_AMDGPU_ABS32 .debug_str_offsets +8
;>   at 0x15: R_AMDGPU_ABS32 .debug_line +0
;>   at 0x23: R_AMDGPU_ABS32 .debug_addr +8
;>   at 0x27: R_AMDGPU_ABS32 .debug_rnglists +12
;> .debug_rnglists type 1 flags 0x0 align 1 size 27
;>   17000000 05000800 01000000 04000000
;>   01000400 18048002 d00300
;> .debug_str_offsets type 1 flags 0x0 align 1 size 28
;>   18000000 05000000 00000000 00000000
;>   00000000 00000000 00000000
;>   at 0x8: R_AMDGPU_ABS32 .debug_str +0
;>   at 0xc: R_AMDGPU_ABS32 .debug_str +3
;>   at 0x10: R_AMDGPU_ABS32 .debug_str +7
;>   at 0x14: R_AMDGPU_ABS32 .debug_str +10
;>   at 0x18: R_AMDGPU_ABS32 .debug_str +12
;> .debug_str type 1 flags 0x30 align 1 size 14
;>   6d650061 2e63002f 78006600 6b00
;> .debug_addr type 1 flags 0x0 align 1 size 24
;>   14000000 05000800 00000000 00000000
;>   00000000 00000000
;>   at 0x8: R_AMDGPU_ABS64 .text +0
;>   at 0x10: R_AMDGPU_ABS64 .text +256
;> .debug_names type 1 flags 0x0 align 4 size 104
;>   64000000 05000000 01000000 00000000
;>   00000000 02000000 02000000 09000000
;>   08000000 4c4c564d 30373030 00000000
;>   01000000 02000000 10b60200 0bb60200
;>   00000000 00000000 00000000 06000000
;>   012e0313 04190000 00013700 00000001
;>   2b000000 00000000
;>   at 0x2c: R_AMDGPU_ABS32 .debug_info +0
;>   at 0x40: R_AMDGPU_ABS32 .debug_str +12
;>   at 0x44: R_AMDGPU_ABS32 .debug_str +10
;> .comment type 1 flags 0x30 align 1 size 10
;>   006d7920 636c616e 6700
;> .note.GNU-stack type 1 flags 0x0 align 1 size 0
;> .note type 7 flags 0x2 align 4 size 1524
;> .debug_line type 1 flags 0x0 align 1 size 106
;>   66000000 05000800 37000000 040101fb
;>   0e0d0001 01010100 00000100 00010101
;>   1f010000 00000301 1f020f05 1e010000
;>   00000001 23456789 abcdef01 23456789
;>   abcdef04 00000902 00000000 00000000
;>   1105020a 244b0500 023b0d05 020a0309
;>   ac022813 028d0200 0101
;>   at 0x22: R_AMDGPU_ABS32 .debug_line_str +0
;>   at 0x2e: R_AMDGPU_ABS32 .debug_line_str +3
;>   at 0x48: R_AMDGPU_ABS64 .text +0
;> .debug_frame type 1 flags 0x0 align 8 size 112
;>   0c000000 ffffffff 04000800 04041000
;>   14000000 00000000 00000000 00000000
;>   08000000 00000000 14000000 00000000
;>   00000000 00000000 18000000 00000000
;>   14000000 00000000 00000000 00000000
;>   94000000 00000000 14000000 00000000
;>   00000000 00000000 d0000000 00000000
;>   at 0x14: R_AMDGPU_ABS32 .debug_frame +0
;>   at 0x18: R_AMDGPU_ABS64 .text.cdf +0
;>   at 0x2c: R_AMDGPU_ABS32 .debug_frame +0
;>   at 0x30: R_AMDGPU_ABS64 .text +0
;>   at 0x44: R_AMDGPU_ABS32 .debug_frame +0
;>   at 0x48: R_AMDGPU_ABS64 .text +24
;>   at 0x5c: R_AMDGPU_ABS32 .debug_frame +0
;>   at 0x60: R_AMDGPU_ABS64 .text +256
;> .debug_line_str type 1 flags 0x30 align 1 size 7
;>   2f780061 2e6300
;> cdf.num_vgpr: absolute 0x0 size 0 Local NoType Default
;> cdf.num_agpr: absolute 0x0 size 0 Local NoType Default
;> cdf.numbered_sgpr: absolute 0x20 size 0 Local NoType Default
;> cdf.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> cdf.private_seg_size: absolute 0x0 size 0 Local NoType Default
;> cdf.uses_vcc: absolute 0x0 size 0 Local NoType Default
;> cdf.uses_flat_scratch: absolute 0x0 size 0 Local NoType Default
;> cdf.has_dyn_sized_stack: absolute 0x0 size 0 Local NoType Default
;> cdf.has_recursion: absolute 0x0 size 0 Local NoType Default
;> cdf.has_indirect_call: absolute 0x0 size 0 Local NoType Default
;> f.num_vgpr: absolute 0x0 size 0 Local NoType Default
;> f.num_agpr: absolute 0x0 size 0 Local NoType Default
;> f.numbered_sgpr: absolute 0x20 size 0 Local NoType Default
;> f.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> f.private_seg_size: absolute 0x0 size 0 Local NoType Default
;> f.uses_vcc: absolute 0x0 size 0 Local NoType Default
;> f.uses_flat_scratch: absolute 0x0 size 0 Local NoType Default
;> f.has_dyn_sized_stack: absolute 0x0 size 0 Local NoType Default
;> f.has_recursion: absolute 0x0 size 0 Local NoType Default
;> f.has_indirect_call: absolute 0x0 size 0 Local NoType Default
;> g.num_vgpr: absolute 0x29 size 0 Local NoType Default
;> g.num_agpr: absolute 0x0 size 0 Local NoType Default
;> g.numbered_sgpr: absolute 0x22 size 0 Local NoType Default
;> g.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> g.private_seg_size: absolute 0x10 size 0 Local NoType Default
;> g.uses_vcc: absolute 0x1 size 0 Local NoType Default
;> g.uses_flat_scratch: absolute 0x0 size 0 Local NoType Default
;> g.has_dyn_sized_stack: absolute 0x0 size 0 Local NoType Default
;> g.has_recursion: absolute 0x1 size 0 Local NoType Default
;> g.has_indirect_call: absolute 0x0 size 0 Local NoType Default
;> k.num_vgpr: absolute 0x20 size 0 Local NoType Default
;> k.num_agpr: absolute 0x0 size 0 Local NoType Default
;> k.numbered_sgpr: absolute 0x21 size 0 Local NoType Default
;> k.num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> k.private_seg_size: absolute 0x0 size 0 Local NoType Default
;> k.uses_vcc: absolute 0x0 size 0 Local NoType Default
;> k.uses_flat_scratch: absolute 0x0 size 0 Local NoType Default
;> k.has_dyn_sized_stack: absolute 0x0 size 0 Local NoType Default
;> k.has_recursion: absolute 0x1 size 0 Local NoType Default
;> k.has_indirect_call: absolute 0x0 size 0 Local NoType Default
;> amdgpu.max_num_vgpr: absolute 0x29 size 0 Local NoType Default
;> amdgpu.max_num_agpr: absolute 0x0 size 0 Local NoType Default
;> amdgpu.max_num_sgpr: absolute 0x22 size 0 Local NoType Default
;> amdgpu.max_num_named_barrier: absolute 0x0 size 0 Local NoType Default
;> cd: .data.cd 0x0 size 4 Weak Object Default
;> cdf: .text.cdf 0x0 size 8 Weak Func Default
;> f: .text 0x0 size 24 Global Func Default
;> g: .text 0x18 size 148 Weak Func Protected
;> k: .text 0x100 size 208 Global Func Protected
;> com: common 0x4 size 4 Global Object Default
;> wk: undefined 0x0 size 0 Weak NoType Default
;> k.kd: .rodata 0x0 size 64 Global Object Default
;> u: .data 0x0 size 24 Weak Object Hidden
;> tab: .data.rel.ro 0x0 size 16 Global Object Default
;> bss: .bss 0x0 size 100 Global Object Default
;> dbl: .rodata 0x40 size 24 Global Object Default
;> flt: .rodata 0x60 size 32 Global Object Default
;> al: .text 0x18 size 148 Global Func Default
;> amdhsa.kernels:
;>   - .agpr_count: 0
;>     .args:
;>       - .address_space: global
;>         .name: p
;>         .offset: 0
;>         .size: 8
;>         .value_kind: global_buffer
;>       - .address_space: generic
;>         .name: q
;>         .offset: 8
;>         .size: 8
;>         .value_kind: global_buffer
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
;>       - .offset: 136
;>         .size: 4
;>         .value_kind: hidden_dynamic_lds_size
;>       - .offset: 216
;>         .size: 8
;>         .value_kind: hidden_queue_ptr
;>     .group_segment_fixed_size: 0
;>     .kernarg_segment_align: 8
;>     .kernarg_segment_size: 272
;>     .max_flat_workgroup_size: 1024
;>     .name: k
;>     .private_segment_fixed_size: 0
;>     .sgpr_count: 39
;>     .sgpr_spill_count: 0
;>     .symbol: k.kd
;>     .uses_dynamic_stack: true
;>     .vgpr_count: 32
;>     .vgpr_spill_count: 0
;>     .wavefront_size: 64
;> amdhsa.target: amdgcn-amd-amdhsa--gfx950
;> amdhsa.version:
;>   - 1
;>   - 2
