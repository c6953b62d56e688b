; F16. Two groups of copies a tile, A and B; tile t+1 may be in flight while tile t is used.
; Two mistakes. The wait was converted as if a group were a tile: two groups in flight became vmcnt(4), but the two
; groups of tile t+1 are two copies. And the drain stands before the last prefetch, which it therefore does not drain.
; c[w] = sum over 6 tiles of A[t][1 - w] * B[t][1 - w], by wave w; wave w copies A[t][w] and B[t][w]; three LDS buffers.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl gemm
	.p2align 8
	.type gemm,@function
gemm:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = frags, s[6:7] = c
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of c
	v_xor_b32_e32 v2, 0x400, v1             ; v2: my 16 bytes of A[1 - w]
	v_mov_b32_e32 v3, v1                    ; v3: the 16 bytes that I copy next
	v_lshrrev_b32_e32 v8, 6, v0
	s_mov_b32 s10, 0                        ; s10: buffer of tile t
	v_readfirstlane_b32 s8, v8
	s_lshl_b32 s8, s8, 10                   ; s8: my wave's part of the buffer to fill
	v_mov_b32_e32 v4, 0                     ; v[4:7]: the accumulator
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_movk_i32 s9, 0x4
	s_waitcnt lgkmcnt(0)
.Lprologue: ; A and B of tiles 0 and 1
	s_mov_b32 m0, s8
	s_add_u32 s8, s8, 0x800
	global_load_lds_dwordx4 v3, s[4:5]      ; <<< 1 other end
	v_add_u32_e32 v3, 0x800, v3
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lprologue

	s_movk_i32 s9, 0x3
.Lloop:
	s_waitcnt vmcnt(4)                      ; <<< 1 wait
	s_barrier                               ; <<< 1 hint: s_waitcnt vmcnt(2)
	s_mov_b32 m0, s8
	v_add_u32_e32 v8, s10, v2
	global_load_lds_dwordx4 v3, s[4:5]      ; A of tile t+2 <<< 1 other end
	s_add_u32 m0, s8, 0x800
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]      ; B of tile t+2 <<< 1 other end
	v_add_u32_e32 v3, 0x800, v3
	s_mov_b32 s8, s10                       ; tile t+3 goes where tile t is
	v_readfirstlane_b32 s11, v1
	s_add_u32 s8, s8, s11
	s_add_u32 s10, s10, 0x1000
	s_cmp_eq_u32 s10, 0x3000
	s_cselect_b32 s10, 0, s10
	ds_read_b128 v[12:15], v8 offset:2048   ; B of tile t <<< 1 error[R4] missing-wait
	ds_read_b128 v[8:11], v8                ; A of tile t <<< 1 error[R4] missing-wait
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[12:15], v[4:7]
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop

	s_waitcnt vmcnt(0)                      ; the drain <<< 2 wait
	s_barrier
	s_mov_b32 m0, s8
	s_nop 0
	global_load_lds_dwordx4 v3, s[4:5]      ; A of tile 5 <<< 2 other end
	s_add_u32 m0, s8, 0x800
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]      ; B of tile 5 <<< 2 other end
	s_movk_i32 s9, 0x3
	s_barrier                               ; <<< 2 hint: s_waitcnt vmcnt(0)
.Lepilogue: ; tiles 3, 4, 5
	v_add_u32_e32 v8, s10, v2
	ds_read_b128 v[12:15], v8 offset:2048   ; <<< 2 error[R4] missing-wait
	ds_read_b128 v[8:11], v8                ; <<< 2 error[R4] missing-wait
	s_add_u32 s10, s10, 0x1000
	s_cmp_eq_u32 s10, 0x3000
	s_cselect_b32 s10, 0, s10
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[12:15], v[4:7]
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lepilogue
	s_nop 15
	global_store_dwordx4 v1, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size gemm, .Lend-gemm

	.rodata
	.p2align 6
	.amdhsa_kernel gemm
		.amdhsa_group_segment_fixed_size 12288
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
