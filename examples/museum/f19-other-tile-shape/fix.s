; F19. A tile may be wide or narrow: two tensor loads or one.
; One may fly, whatever the shape.
; dst[t][h][i] = src[t][h][63 - i] for 4 tiles of two waves; each wave's transfers bring its half of the lanes.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl copy
	.p2align 8
	.type copy,@function
copy:
	s_load_b128 s[4:7], s[0:1], 0x0         ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0
	v_sub_nc_u32_e32 v2, 0x3f0, v1          ; v2: my 16 bytes in LDS, mirrored: the other wave brings them
	s_lshl_b32 s10, ttmp9, 13
	v_add_nc_u32_e32 v1, s10, v1            ; v1: my 16 bytes of dst
	v_lshrrev_b32_e32 v3, 5, v0
	s_movk_i32 s9, 0x4                      ; tiles to ask for
	v_readfirstlane_b32 s8, v3
	s_lshl_b32 s8, s8, 9                    ; s8: my wave's half of the lanes
	s_add_co_i32 s10, s10, s8
	s_wait_kmcnt 0x0
	s_mov_b32 s12, 1                        ; D#: one transfer,
	s_mov_b32 s13, s8                       ; to LDS,
	s_add_co_u32 s14, s4, s10               ; from memory,
	s_add_co_ci_u32 s15, s5, 0x80000000
	s_mov_b32 s16, 0x20000                  ; of 4-byte elements,
	s_mov_b32 s17, 128 << 16                ; 128 of them
	s_mov_b32 s18, 1 << 16
	s_mov_b32 s19, 128 << 16
	s_mov_b32 s20, 1
	s_mov_b32 s21, 128
	s_mov_b64 s[22:23], 0
	s_mov_b32 s24, 1                        ; the same for the second half of a wide tile

.Lask:
	tensor_load_to_lds s[12:15], s[16:23]   ; tile t+1
	s_cmp_lg_u32 ttmp9, 0
	s_cbranch_scc1 .Lasked
	s_add_co_i32 s25, s13, 0x400
	s_add_co_u32 s26, s14, 0x400
	s_add_co_ci_u32 s27, s15, 0
	tensor_load_to_lds s[24:27], s[16:23]   ; its second half
.Lasked:
	s_xor_b32 s13, s13, 0x800
	s_add_co_u32 s14, s14, 0x800
	s_add_co_ci_u32 s15, s15, 0
	s_add_co_i32 s9, s9, -1
	s_cmp_eq_u32 s9, 3
	s_cbranch_scc1 .Lask                    ; tiles 0 and 1 before the first wait
	s_wait_tensorcnt 0x1
.Luse:
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b128 v[4:7], v2                 ; tile t
	s_cmp_lg_u32 ttmp9, 0
	s_cbranch_scc1 .Lread
	ds_load_b128 v[8:11], v2 offset:1024
	s_wait_dscnt 0x0
	global_store_b128 v1, v[8:11], s[6:7] offset:1024
.Lread:
	s_wait_dscnt 0x0
	s_barrier_signal -1                     ; both waves have read it
	s_barrier_wait -1
	global_store_b128 v1, v[4:7], s[6:7]
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v1, 0x800, v1
	v_xor_b32_e32 v2, 0x800, v2
	s_cmp_gt_i32 s9, 0
	s_cbranch_scc1 .Lask
	s_add_co_i32 s9, s9, -1
	s_wait_tensorcnt 0x0                    ; the last tile
	s_cmp_eq_u32 s9, -1
	s_cbranch_scc1 .Luse
	s_endpgm
.Lend:
	.size copy, .Lend-copy

	.rodata
	.p2align 6
	.amdhsa_kernel copy
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 40
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
