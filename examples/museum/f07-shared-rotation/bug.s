; F7. K slices and then the V tile go through the same three LDS buffers in turn, a barrier between store and load.
; With two K slices V's buffer is one that nobody reads any more. With three, the last K slice and V meet in buffer 0:
; a fast wave stores V where a slow wave still reads K.
; c[w] = sum over K[i] (A: first half, B: second half) + V * V', by wave w; each wave stores its own half of a slice.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl fmha
	.p2align 8
	.type fmha,@function
fmha:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = slices, s[6:7] = c
	v_and_b32_e32 v1, 63, v0
	v_lshlrev_b32_e32 v1, 4, v1             ; v1: my 16 bytes of a fragment
	v_lshlrev_b32_e32 v2, 4, v0             ; v2: the 16 bytes of a slice that I bring
	s_lshl_b32 s8, s2, 11
	v_add_u32_e32 v3, s8, v2                ; v3: my 16 bytes of c
	v_mov_b32_e32 v20, v2                   ; v20: the same in memory
	v_mov_b32_e32 v4, 0                     ; v[4:7]: the accumulator
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_add_u32 s9, s2, 2                     ; K slices: 2 in workgroup 0, 3 in workgroup 1
	s_movk_i32 s10, 0x800                   ; buffer of the first: 1, then 2, then 0
	s_waitcnt lgkmcnt(0)

.Lk:
	global_load_dwordx4 v[8:11], v20, s[4:5]
	v_add_u32_e32 v20, 0x800, v20
	v_add_u32_e32 v21, s10, v2
	v_add_u32_e32 v22, s10, v1
	s_waitcnt vmcnt(0)
	ds_write_b128 v21, v[8:11]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[12:15], v22              ; <<< other end
	ds_read_b128 v[16:19], v22 offset:1024  ; <<< other end
	s_add_u32 s10, s10, 0x800
	s_cmp_eq_u32 s10, 0x1800
	s_cselect_b32 s10, 0, s10
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[4:7], v[12:15], v[16:19], v[4:7]
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lk

	global_load_dwordx4 v[8:11], v20, s[4:5] ; V begins at buffer 0
	s_waitcnt vmcnt(0)
	ds_write_b128 v2, v[8:11]               ; <<< error[S2] missing-sync
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[12:15], v1
	ds_read_b128 v[16:19], v1 offset:1024
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[4:7], v[12:15], v[16:19], v[4:7]
	s_nop 15
	global_store_dwordx4 v3, v[4:7], s[6:7]
	s_endpgm
.Lend:
	.size fmha, .Lend-fmha

	.rodata
	.p2align 6
	.amdhsa_kernel fmha
		.amdhsa_group_segment_fixed_size 6144
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
