; target: amdgcn-mesa-mesa3d--gfx803

.amdgcn_target "amdgcn-mesa-mesa3d--gfx803"
.amd_amdgpu_isa "amdgcn-mesa-mesa3d--gfx803"
.globl k
.amdgpu_hsa_kernel k
.text
k:
.set n, 5
.amd_kernel_code_t
 amd_code_version_major = 7
 kernel_code_version_minor = 1+1
 machine_kind = 2
 machine_version_major = 3
 amd_machine_version_minor = 4
 amd_machine_version_stepping = 70000
 kernel_code_entry_byte_offset = 512
 kernel_code_prefetch_byte_size = 0x1122334455667788
 max_scratch_backing_memory_byte_size = 3
 granulated_workitem_vgpr_count = 100
 compute_pgm_rsrc1_sgprs = n
 priority = 2
 float_mode = 192
 priv = 1
 enable_dx10_clamp = 1
 debug_mode = 1
 enable_ieee_mode = 1
 enable_sgpr_private_segment_wave_byte_offset = 1
 user_sgpr_count = 8
 enable_trap_handler = 1
 enable_sgpr_workgroup_id_x = 1
 enable_sgpr_workgroup_id_y = 1
 enable_sgpr_workgroup_id_z = 1
 enable_sgpr_workgroup_info = 1
 enable_vgpr_workitem_id = 2
 enable_exception_msb = 3
 granulated_lds_size = 0x155
 enable_exception = 0x55
 enable_sgpr_private_segment_buffer = 1
 enable_sgpr_dispatch_ptr = 1
 enable_sgpr_queue_ptr = 1
 enable_sgpr_kernarg_segment_ptr = 1
 enable_sgpr_dispatch_id = 1
 enable_sgpr_flat_scratch_init = 1
 enable_sgpr_private_segment_size = 1
 enable_sgpr_grid_workgroup_count_x = 1
 enable_sgpr_grid_workgroup_count_y = 1
 enable_sgpr_grid_workgroup_count_z = 1
 enable_ordered_append_gds = 1
 private_element_size = 1
 is_ptr64 = 1
 is_dynamic_callstack = 1
 is_debug_enabled = 1
 is_xnack_enabled = 1
 workitem_private_segment_byte_size = 64
 workgroup_group_segment_byte_size = 128
 gds_segment_byte_size = 3
 kernarg_segment_byte_size = 24
 workgroup_fbarrier_count = 4
 wavefront_sgpr_count = later
 workitem_vgpr_count = later+1
 reserved_vgpr_first = 1
 reserved_vgpr_count = 2
 reserved_sgpr_first = 3
 reserved_sgpr_count = 4
 debug_wavefront_private_segment_offset_sgpr = 5
 debug_private_segment_buffer_sgpr = 6
 kernarg_segment_alignment = 7
 group_segment_alignment = 8
 private_segment_alignment = 9
 wavefront_size = 6
 call_convention = 11
 runtime_loader_kernel_symbol = 0x123456789
.end_amd_kernel_code_t
s_endpgm
.set later, 33
;> gfx803 V3
;> .text type 1 flags 0x6 align 4 size 260
;>   07000000 02000000 02000300 04007011
;>   00020000 00000000 00000000 00000000
;>   88776655 44332211 00000000 00000000
;>   6409fc00 d1f7aa55 ff037b00 40000000
;>   80000000 03000000 18000000 00000000
;>   04000000 21002200 01000200 03000400
;>   05000600 07080906 0b000000 00000000
;>   00000000 00000000 89674523 01000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   000081bf
;> .note type 7 flags 0x0 align 4 size 44
;> n: absolute 0x5 size 0 Local NoType Default
;> later: absolute 0x21 size 0 Local NoType Default
;> k: .text 0x0 size 0 Global HsaKernel Default
;> note AMD 11: [61, 6d, 64, 67, 63, 6e, 2d, 6d, 65, 73, 61, 2d, 6d, 65, 73, 61, 33, 64, 2d, 2d, 67, 66, 78, 38, 30, 33]
