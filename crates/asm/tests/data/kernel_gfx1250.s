; target: gfx1250
	.amdgcn_target "amdgpu12.50-amd-amdhsa-unknown-gfx1250"
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_mov_b64 s[2:3], ext
	s_mov_b64 s[2:3], ext@abs64
	s_add_nc_u64 s[2:3], s[2:3], ext@rel64+4
	s_endpgm
	.fill 70, 4, 0
.Lend:
	.size k, .Lend-k
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_user_sgpr_count 4
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 17
		.amdhsa_next_free_sgpr 4
		.amdhsa_named_barrier_count 2
		.amdhsa_inst_pref_size ((instprefsize(.Lend-k)<<4)&4080)>>4
		.amdhsa_reserve_xnack_mask 1
	.end_amdhsa_kernel
;> gfx1250 V6
;> .text type 1 flags 0x6 align 256 size 320
;>   fe0182be 00000000 00000000 fe0182be
;>   00000000 00000000 02fe82a9 00000000
;>   00000000 0000b0bf 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   at 0x4: R_AMDGPU_REL64 ext +0
;>   at 0x10: R_AMDGPU_ABS64 ext +0
;>   at 0x1c: R_AMDGPU_REL64 ext +4
;> .rodata type 1 flags 0x2 align 64 size 64
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 30800000
;>   01000cc0 88000000 08040000 00000000
;>   at 0x10: R_AMDGPU_REL64 k +16
;> k: .text 0x0 size 320 Global Func Protected
;> ext: undefined 0x0 size 0 Global NoType Default
;> k.kd: .rodata 0x0 size 64 Global Object Default
