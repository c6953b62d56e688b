; target: amdgcn-mesa-mesa3d--gfx900

.amd_amdgpu_isa "amdgcn-mesa-mesa3d--gfx803"
.amd_amdgpu_isa
.amdgpu_hsa_kernel
.end_amd_kernel_code_t
.amd_kernel_code_t
    enable_wgp_mode = 1
    enable_wgp_mode = 0
    enable_mem_ordered = 1
    enable_mem_ordered = 0
    enable_fwd_progress = 1
    enable_fwd_progress = 0
    enable_wavefront_size32 = 1
    enable_wavefront_size32 = 0
    wavefront_size = 5
    wavefront_size = 4
    nonsense = 5
    compute_pgm_rsrc1 = 5
    kernel_code_prefetch_byte_offset = 5
    priority 5
    priority =
    call_convention = undefined
    wavefront_sgpr_count = 70000
.end_amd_kernel_code_t
.amd_kernel_code_t
;> file:3:17: error: the file is for amdgcn-mesa-mesa3d--gfx803, but amdgcn-mesa-mesa3d--gfx900 was asked for
;> file:4:16: error: expected a string
;> file:5:19: error: expected a name
;> file:6:1: error: .end_amd_kernel_code_t without .amd_kernel_code_t
;> file:8:23: error: enable_wgp_mode=1 is only allowed on GFX10+
;> file:10:26: error: enable_mem_ordered=1 is only allowed on GFX10+
;> file:12:27: error: enable_fwd_progress=1 is only allowed on GFX10+
;> file:14:31: error: enable_wavefront_size32=1 is only allowed on GFX10+
;> file:16:22: error: wavefront_size=5 is only allowed on GFX10+
;> file:18:5: error: amd_kernel_code_t has no field nonsense
;> file:19:5: error: amd_kernel_code_t has no field compute_pgm_rsrc1
;> file:20:5: error: amd_kernel_code_t has no field kernel_code_prefetch_byte_offset
;> file:21:14: error: expected '='
;> file:22:15: error: expected an expression
;> file:23:23: error: expected an absolute expression, but undefined is not defined
;> file:24:28: error: 70000 does not fit in 2 bytes
;> file:26:1: error: .amd_kernel_code_t without .end_amd_kernel_code_t
