; F4. A ring of three LDS buffers that the tensor engine fills: read tile t, ask for tile t+3 in its place.
; A fast wave asks for tile t+3 as soon as IT has read tile t. A slow wave may still be reading it.
; dst[t][i] = src[t][63 - i] for 6 tiles of two waves, four u32 a lane; each wave's transfer brings its half of a tile.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl copy
	.p2align 8
	.type copy,@function
copy:
	s_load_b128 s[4:7], s[0:1], 0x0         ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of dst
	v_sub_nc_u32_e32 v2, 0x3f0, v1          ; v2: the mirrored ones of a tile, which the other wave brings
	v_lshrrev_b32_e32 v3, 5, v0
	s_mov_b32 s9, 0                         ; s9: buffer of tile t
	v_readfirstlane_b32 s8, v3
	s_lshl_b32 s8, s8, 9                    ; s8: my wave's half
	s_wait_kmcnt 0x0
	s_mov_b32 s12, 1                        ; D#: one transfer,
	s_mov_b32 s13, s8                       ; to LDS,
	s_add_co_u32 s14, s4, s8                ; from memory,
	s_add_co_ci_u32 s15, s5, 0x80000000
	s_mov_b32 s16, 0x20000                  ; of 4-byte elements,
	s_mov_b32 s17, 128 << 16                ; 128 of them
	s_mov_b32 s18, 1 << 16
	s_mov_b32 s19, 128 << 16
	s_mov_b32 s20, 1
	s_mov_b32 s21, 128
	s_mov_b64 s[22:23], 0
.Lprologue: ; tiles 0, 1, 2
	tensor_load_to_lds s[12:15], s[16:23]
	s_add_co_i32 s13, s13, 0x400
	s_add_co_u32 s14, s14, 0x400
	s_add_co_ci_u32 s15, s15, 0
	s_cmp_lt_u32 s13, 0xc00
	s_cbranch_scc1 .Lprologue

	s_movk_i32 s10, 0x3                     ; tiles left to ask for
.Lloop:
	s_wait_tensorcnt 0x2                    ; my half of tile t is there
	s_barrier_signal -1                     ; the other half, too
	s_barrier_wait -1
	v_add_nc_u32_e32 v3, s9, v2
	ds_load_b128 v[4:7], v3                 ; tile t <<< other end
	s_add_co_i32 s13, s9, s8
	s_wait_dscnt 0x0
	tensor_load_to_lds s[12:15], s[16:23]   ; tile t+3 over it <<< error[S2] missing-sync
	s_add_co_u32 s14, s14, 0x400
	s_add_co_ci_u32 s15, s15, 0
	global_store_b128 v1, v[4:7], s[6:7]
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v1, 0x400, v1
	s_add_co_i32 s9, s9, 0x400
	s_cmp_eq_u32 s9, 0xc00
	s_cselect_b32 s9, 0, s9
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lloop

	s_wait_tensorcnt 0x0                    ; tiles 3, 4, 5: nothing more to ask for
	s_barrier_signal -1
	s_barrier_wait -1
.Lepilogue:
	ds_load_b128 v[4:7], v2
	s_wait_dscnt 0x0
	global_store_b128 v1, v[4:7], s[6:7]
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v1, 0x400, v1
	v_add_nc_u32_e32 v2, 0x400, v2
	s_add_co_i32 s9, s9, 0x400
	s_cmp_lg_u32 s9, 0xc00
	s_cbranch_scc1 .Lepilogue
	s_endpgm
.Lend:
	.size copy, .Lend-copy

	.rodata
	.p2align 6
	.amdhsa_kernel copy
		.amdhsa_group_segment_fixed_size 3072
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
