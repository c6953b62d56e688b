; target: gfx950
	.text
k:
	.section .rodata,"a",@progbits
	.amdhsa_kernel k
	.amdhsa_next_free_vgpr 513
	.amdhsa_next_free_sgpr 1
	.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.amdhsa_kernel k1
	.amdhsa_next_free_vgpr 1
	.amdhsa_next_free_vgpr 1
	.amdhsa_bogus 1
	.amdhsa_wavefront_size32 1
	.amdhsa_user_sgpr_private_segment_buffer 1
	.amdhsa_inst_pref_size 1
	.amdhsa_kernarg_size 1 2
	.long 5
	.end_amdhsa_kernel
	.amdhsa_kernel k2
	.amdhsa_next_free_vgpr 8
	.amdhsa_next_free_sgpr 1
	.end_amdhsa_kernel
	.amdhsa_kernel k3
	.amdhsa_next_free_vgpr 8
	.amdhsa_next_free_sgpr 103
	.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.amdhsa_kernel k4
	.amdhsa_next_free_vgpr 8
	.amdhsa_next_free_sgpr 10
	.amdhsa_accum_offset 12
	.end_amdhsa_kernel
	.amdhsa_kernel k5
	.amdhsa_next_free_vgpr 8
	.amdhsa_next_free_sgpr 10
	.amdhsa_accum_offset 8
	.amdhsa_user_sgpr_kernarg_preload_length 4
	.amdhsa_user_sgpr_count 2
	.end_amdhsa_kernel
	.amdhsa_kernel k6
	.amdhsa_next_free_vgpr 8
	.amdhsa_next_free_sgpr unknown
	.amdhsa_accum_offset 8
	.amdhsa_reserve_xnack_mask 0
	.end_amdhsa_kernel
	.end_amdhsa_kernel
	.amdhsa_kernel k7
	.amdhsa_next_free_vgpr 8
;> file:6:25: error: value out of range
;> file:12:2: error: .amdhsa_ directives cannot be repeated
;> file:13:2: error: unknown .amdhsa_kernel directive
;> file:14:2: error: .amdhsa_wavefront_size32 is not supported on gfx950
;> file:15:2: error: directive is not supported with architected flat scratch
;> file:16:2: error: .amdhsa_inst_pref_size is not supported on gfx950
;> file:17:25: error: expected the end of the statement
;> file:18:2: error: expected .amdhsa_ directive or .end_amdhsa_kernel
;> file:19:2: error: .amdhsa_next_free_sgpr directive is required
;> file:23:2: error: .amdhsa_accum_offset directive is required
;> file:26:25: error: value out of range
;> file:32:23: error: accum_offset exceeds total VGPR allocation
;> file:39:26: error: amdgpu_user_sgpr_count smaller than implied by enabled user SGPRs (4)
;> file:43:25: error: expected an absolute expression, but unknown is not defined
;> file:47:2: error: .end_amdhsa_kernel without .amdhsa_kernel
;> file:48:2: error: .amdhsa_kernel without .end_amdhsa_kernel
