; F17. Two groups of waves one stage apart: while wave 0 reads and refills LDS, wave 1 multiplies, and so in turn.
; The reads are waited for before the barrier that ends their stage, not behind it.
; c[w] = sum over 6 tiles of A[t] * B[t], by wave w; wave 0 copies A, wave 1 copies B; three LDS buffers.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl gemm
	.p2align 8
	.type gemm,@function
gemm:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = frags, s[6:7] = c
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of c
	v_and_b32_e32 v2, 0x3f0, v1             ; v2: my 16 bytes of a fragment in tile t
	v_mov_b32_e32 v3, v1                    ; v3: the 16 bytes that I copy next
	v_lshrrev_b32_e32 v8, 6, v0
	s_movk_i32 s9, 0x6                      ; tiles left
	v_readfirstlane_b32 s10, v8             ; s10: 0 leads, 1 trails
	s_lshl_b32 s8, s10, 10                  ; s8: my part of the buffer to fill
	s_add_u32 s11, s8, 0x1800               ; where it wraps
	v_mov_b32_e32 v4, 0                     ; v[4:7]: the accumulator
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_mov_b32 m0, s8
	s_waitcnt lgkmcnt(0)
	global_load_lds_dwordx4 v3, s[4:5]      ; tile 0
	s_add_u32 m0, s8, 0x800
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]      ; tile 1
	s_add_u32 s8, s8, 0x1000
	s_waitcnt vmcnt(1)                      ; my part of tile 0 is there
	s_barrier
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lread
	s_barrier                               ; wave 1 trails by one stage

.Lread: ; ---- stage: read tile t, ask for tile t+2 in the place of tile t-1
	ds_read_b128 v[12:15], v2 offset:1024   ; B
	ds_read_b128 v[8:11], v2                ; A
	s_cmp_lt_u32 s9, 3
	s_cbranch_scc1 .Lno_more
	s_mov_b32 m0, s8
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]
	s_add_u32 s8, s8, 0x800
	s_cmp_eq_u32 s8, s11
	s_cbranch_scc0 .Lno_wrap
	s_sub_u32 s8, s8, 0x1800
.Lno_wrap:
	s_waitcnt vmcnt(1)                      ; my part of tile t+1 is there
	s_branch .Lread_done
.Lno_more:
	s_waitcnt vmcnt(0)
.Lread_done:
	s_waitcnt lgkmcnt(0)
	s_barrier

	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[12:15], v[4:7]
	v_add_u32_e32 v2, 0x800, v2
	v_cmp_gt_u32_e32 vcc, 0x1800, v2
	v_subrev_u32_e32 v8, 0x1800, v2
	v_cndmask_b32_e32 v2, v8, v2, vcc
	s_barrier
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lread

	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lstore
	s_barrier                               ; wave 0 lets wave 1 catch up
.Lstore:
	s_nop 15
	global_store_dwordx4 v1, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size gemm, .Lend-gemm

	.rodata
	.p2align 6
	.amdhsa_kernel gemm
		.amdhsa_group_segment_fixed_size 6144
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
