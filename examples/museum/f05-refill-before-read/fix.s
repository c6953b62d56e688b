; F5. One LDS buffer: read tile t, then let the next copy overwrite it.
; Each wave waits for its reads before it arrives at the barrier behind which the buffer is overwritten.
; c[w] = sum over 3 tiles of A[t] * B[t], by wave w; wave 0 copies A, wave 1 copies B.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl gemm
	.p2align 8
	.type gemm,@function
gemm:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = frags, s[6:7] = c
	v_and_b32_e32 v1, 63, v0
	v_lshlrev_b32_e32 v1, 4, v1             ; v1: my 16 bytes of a fragment in LDS
	v_lshlrev_b32_e32 v2, 4, v0             ; v2: the 16 bytes that I copy, and mine of c
	v_mov_b32_e32 v3, v2
	v_lshrrev_b32_e32 v8, 6, v0
	s_movk_i32 s9, 0x3                      ; tiles left
	v_readfirstlane_b32 s8, v8
	s_lshl_b32 s8, s8, 10                   ; s8: 0 for A (wave 0), 0x400 for B (wave 1)
	v_mov_b32_e32 v4, 0                     ; v[4:7]: the accumulator
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_mov_b32 m0, s8
	s_waitcnt lgkmcnt(0)
	global_load_lds_dwordx4 v2, s[4:5]      ; tile 0

.Lloop:
	s_waitcnt vmcnt(0)
	s_barrier                               ; tile t is there
	ds_read_b128 v[8:11], v1                ; A
	ds_read_b128 v[12:15], v1 offset:1024   ; B
	v_add_u32_e32 v2, 0x800, v2
	s_sub_u32 s9, s9, 1
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 .Llast
	s_waitcnt lgkmcnt(0)                    ; my reads are done
	s_barrier
	global_load_lds_dwordx4 v2, s[4:5]      ; tile t+1 over tile t
.Llast:
	s_waitcnt lgkmcnt(0)                    ; those of the last trip
	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[12:15], v[4:7]
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lloop

	s_nop 15
	global_store_dwordx4 v3, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size gemm, .Lend-gemm

	.rodata
	.p2align 6
	.amdhsa_kernel gemm
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
