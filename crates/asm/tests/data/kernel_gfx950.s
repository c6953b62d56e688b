; target: gfx950
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 5
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_mov_b32 s20, 0
	s_endpgm
.Lend:
	.size k, .Lend-k
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr max(totalnumvgprs(4, 10), 1)
		.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
		.amdhsa_accum_offset ((((((alignto(max(1, 10), 4))/4)-1)&~65536)&63)+1)*4
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .name: k      // the kernel
    .symbol: k.kd
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 10
    .max_flat_workgroup_size: 256
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
;> gfx950 V5
;> .text type 1 flags 0x6 align 256 size 8
;>   800094be 000081bf
;> .rodata type 1 flags 0x2 align 64 size 64
;>   00040000 00000000 18000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 02000000
;>   c100ac00 84000000 08000000 00000000
;>   at 0x10: R_AMDGPU_REL64 k +16
;> .note type 7 flags 0x2 align 4 size 256
;> k: .text 0x0 size 8 Global Func Protected
;> k.kd: .rodata 0x0 size 64 Global Object Default
;> amdhsa.kernels:
;>   - .group_segment_fixed_size: 1024
;>     .kernarg_segment_align: 8
;>     .kernarg_segment_size: 24
;>     .max_flat_workgroup_size: 256
;>     .name: k
;>     .private_segment_fixed_size: 0
;>     .sgpr_count: 16
;>     .symbol: k.kd
;>     .vgpr_count: 10
;>     .wavefront_size: 64
;> amdhsa.version:
;>   - 1
;>   - 2
