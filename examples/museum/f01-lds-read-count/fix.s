; F1. A count that is right on one of two paths.
; The count is that of the path with the fewest younger reads: three.
; c = sum over 3 tiles of A[t] (16 x 128) * B[t] (4 slices share one 32 x 16 fragment); one wave.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl gemm
	.p2align 8
	.type gemm,@function
gemm:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = frags, s[6:7] = c
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of a fragment in LDS
	v_mov_b32_e32 v2, v1                    ; v2: my 16 bytes of it in memory
	v_mov_b32_e32 v3, v1                    ; v3: my 16 bytes of c
	s_mov_b32 s8, 0
	s_waitcnt lgkmcnt(0)
.Lfill: ; 3 tiles of 5 fragments: A0 A1 A2 A3 B
	s_mov_b32 m0, s8
	s_add_u32 s8, s8, 0x400
	global_load_lds_dwordx4 v2, s[4:5]
	v_add_u32_e32 v2, 0x400, v2
	s_cmp_lg_u32 s8, 0x3c00
	s_cbranch_scc1 .Lfill
	v_mov_b32_e32 v4, 0                     ; v[4:7]: the accumulator
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_movk_i32 s9, 0x3                      ; tiles left
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b128 v[24:27], v1 offset:4096   ; B of tile 0

.Lloop:
	ds_read_b128 v[8:11], v1                ; A0
	ds_read_b128 v[12:15], v1 offset:1024   ; A1
	ds_read_b128 v[16:19], v1 offset:2048   ; A2
	ds_read_b128 v[20:23], v1 offset:3072   ; A3
	s_sub_u32 s9, s9, 1
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 .Llast
	ds_read_b128 v[28:31], v1 offset:9216   ; B of the next tile
.Llast:
	s_waitcnt lgkmcnt(3)                    ; A0 is there, with and without the prefetch
	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[24:27], v[4:7]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x32_f16 v[4:7], v[12:15], v[24:27], v[4:7]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[4:7], v[16:19], v[24:27], v[4:7]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[4:7], v[20:23], v[24:27], v[4:7]
	v_add_u32_e32 v1, 0x1400, v1            ; the next tile
	v_mov_b32_e32 v24, v28
	v_mov_b32_e32 v25, v29
	v_mov_b32_e32 v26, v30
	v_mov_b32_e32 v27, v31
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop

	s_nop 15                                ; the last v_mfma has written v[4:7]
	global_store_dwordx4 v3, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size gemm, .Lend-gemm

	.rodata
	.p2align 6
	.amdhsa_kernel gemm
		.amdhsa_group_segment_fixed_size 15360
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
