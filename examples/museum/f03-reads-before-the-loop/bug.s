; F3. LDS reads are issued before the loop, and the loop begins with the v_mfma that needs them.
; The wait at the end of the body drains the reads of the next trip. Those from before the loop, of the normal entry
; and of the one for a small K, are drained by nobody.
; c = sum over K / 32 fragments of A[i] * B[i]; workgroup 0 has 3 fragments, workgroup 1 only the short one.

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
	s_lshl_b32 s9, s2, 10
	v_add_u32_e32 v3, s9, v1                ; v3: my 16 bytes of c
	s_mov_b32 s8, 0
	s_waitcnt lgkmcnt(0)
.Lfill: ; A0 B0 A1 B1 A2 B2
	s_mov_b32 m0, s8
	s_add_u32 s8, s8, 0x400
	global_load_lds_dwordx4 v2, s[4:5]
	v_add_u32_e32 v2, 0x400, v2
	s_cmp_lg_u32 s8, 0x1800
	s_cbranch_scc1 .Lfill
	v_mov_b32_e32 v4, 0                     ; v[4:7]: the accumulator
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_waitcnt vmcnt(0)
	s_barrier
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 .Lsmall_k

	s_movk_i32 s10, 0x3                     ; fragments left
	ds_read_b128 v[8:11], v1                ; A0 <<< other end
	ds_read_b128 v[12:15], v1 offset:1024   ; B0 <<< other end
	s_branch .Lloop
.Lsmall_k:
	s_movk_i32 s10, 0x1
	ds_read_b128 v[8:11], v1 offset:4096    ; A2 <<< other end
	ds_read_b128 v[12:15], v1 offset:5120   ; B2 <<< other end

.Lloop:
	v_mfma_f32_16x16x32_f16 v[4:7], v[8:11], v[12:15], v[4:7] ; <<< error[R1] missing-wait <<< hint: s_waitcnt lgkmcnt(0)
	s_sub_u32 s10, s10, 1
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Ldone
	v_add_u32_e32 v1, 0x800, v1
	ds_read_b128 v[8:11], v1                ; for the next trip
	ds_read_b128 v[12:15], v1 offset:1024
	s_waitcnt lgkmcnt(0)
	s_branch .Lloop
.Ldone:
	s_nop 15
	global_store_dwordx4 v3, v[4:7], s[6:7]
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
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
