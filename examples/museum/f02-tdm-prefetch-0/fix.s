; F2. A loop without a prefetch distance: the next tile is asked for at the end of the body and read at its top.
; Each wave waits for its half of the tile, then the barrier makes that everybody's: in both loops.
; d = sum over 3 + 2 tiles of A[t] (16 x 128) * B[t] (128 x 16), fp4, scales 1. Wave 0 copies A, wave 1 copies B, into
; two LDS buffers in turn; both waves compute all of d.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl gemm_mxf4
	.p2align 8
	.type gemm_mxf4,@function
gemm_mxf4:
	s_load_b128 s[4:7], s[0:1], 0x0         ; s[4:5] = tiles, s[6:7] = d
	v_lshlrev_b32_e32 v1, 5, v0             ; v1: my 32 bytes of d
	v_and_b32_e32 v2, 0x3e0, v1             ; v2: my 32 bytes of a fragment
	v_lshrrev_b32_e32 v3, 5, v0
	v_mov_b32_e32 v4, 0x7f7f7f7f            ; v4: four scales, each 2^0
	v_readfirstlane_b32 s8, v3
	s_lshl_b32 s8, s8, 10                   ; s8: 0 for A (wave 0), 0x400 for B (wave 1)
	s_wait_kmcnt 0x0
	s_mov_b32 s12, 1                        ; D#: one transfer,
	s_mov_b32 s13, s8                       ; to LDS,
	s_add_co_u32 s14, s4, s8                ; from memory,
	s_add_co_ci_u32 s15, s5, 0x80000000
	s_mov_b32 s16, 0x20000                  ; of 4-byte elements,
	s_mov_b32 s17, 256 << 16                ; 256 of them
	s_mov_b32 s18, 1 << 16
	s_mov_b32 s19, 256 << 16
	s_mov_b32 s20, 1
	s_mov_b32 s21, 256
	s_mov_b64 s[22:23], 0
	v_mov_b64_e32 v[8:9], 0
	v_mov_b64_e32 v[10:11], 0
	v_mov_b64_e32 v[12:13], 0
	v_mov_b64_e32 v[14:15], 0
	tensor_load_to_lds s[12:15], s[16:23]   ; tile 0
	s_movk_i32 s9, 0x3                      ; trips of the main loop
	s_wait_tensorcnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1

.Lmain:
	ds_load_b128 v[16:19], v2               ; A
	ds_load_b128 v[20:23], v2 offset:16
	ds_load_b128 v[24:27], v2 offset:1024   ; B
	ds_load_b128 v[28:31], v2 offset:1040
	s_wait_dscnt 0x0
	s_barrier_signal -1                     ; both waves have read this buffer
	s_barrier_wait -1
	v_wmma_scale_f32_16x16x128_f8f6f4 v[8:15], v[16:23], v[24:31], v[8:15], v4, v4 matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4
	v_xor_b32_e32 v2, 0x800, v2             ; swap buffers
	s_xor_b32 s13, s13, 0x800
	s_add_co_u32 s14, s14, 0x800
	s_add_co_ci_u32 s15, s15, 0
	tensor_load_to_lds s[12:15], s[16:23]   ; the next tile
	s_wait_tensorcnt 0x0                    ; my half of it is there
	s_barrier_signal -1                     ; the other wave's half, too
	s_barrier_wait -1
	s_sub_co_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lmain

	s_movk_i32 s9, 0x2                      ; trips of the tail loop
.Ltail:
	ds_load_b128 v[16:19], v2
	ds_load_b128 v[20:23], v2 offset:16
	ds_load_b128 v[24:27], v2 offset:1024
	ds_load_b128 v[28:31], v2 offset:1040
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	v_wmma_scale_f32_16x16x128_f8f6f4 v[8:15], v[16:23], v[24:31], v[8:15], v4, v4 matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4
	s_sub_co_u32 s9, s9, 1
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 .Ldone
	v_xor_b32_e32 v2, 0x800, v2
	s_xor_b32 s13, s13, 0x800
	s_add_co_u32 s14, s14, 0x800
	s_add_co_ci_u32 s15, s15, 0
	tensor_load_to_lds s[12:15], s[16:23]
	s_wait_tensorcnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_branch .Ltail
.Ldone:
	s_nop 7
	global_store_b128 v1, v[8:11], s[6:7]
	global_store_b128 v1, v[12:15], s[6:7] offset:16
	s_endpgm
.Lend:
	.size gemm_mxf4, .Lend-gemm_mxf4

	.rodata
	.p2align 6
	.amdhsa_kernel gemm_mxf4
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 40
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
