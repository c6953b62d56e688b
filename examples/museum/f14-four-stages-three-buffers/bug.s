; F14. Four stages on one ring of LDS buffers: ask for tile t+2, wait for tile t+1, compute tile t, store tile t-1.
; Three buffers are one too few: the tensor load of tile t+2 goes where the tensor store of tile t-1 still reads.
; dst = 2 * src + 1 for 6 tiles of 32 lanes, four u32 each; one wave, in place in LDS.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl stages
	.p2align 8
	.type stages,@function
stages:
	s_load_b128 s[4:7], s[0:1], 0x0         ; s[4:5] = src, s[6:7] = dst
	v_lshlrev_b32_e32 v1, 4, v0             ; v1: my 16 bytes of a tile
	s_wait_kmcnt 0x0
	s_mov_b32 s12, 1                        ; D# of the loads: one transfer,
	s_mov_b32 s13, 0                        ; to LDS,
	s_mov_b32 s14, s4                       ; from memory,
	s_or_b32 s15, s5, 0x80000000
	s_mov_b32 s16, 0x20000                  ; of 4-byte elements,
	s_mov_b32 s17, 128 << 16                ; 128 of them
	s_mov_b32 s18, 1 << 16
	s_mov_b32 s19, 128 << 16
	s_mov_b32 s20, 1
	s_mov_b32 s21, 128
	s_mov_b64 s[22:23], 0
	s_mov_b32 s24, 1                        ; D# of the stores
	s_mov_b32 s25, 0
	s_mov_b32 s26, s6
	s_or_b32 s27, s7, 0x80000000
	s_movk_i32 s10, 0x6                     ; tiles left
	tensor_load_to_lds s[12:15], s[16:23]   ; tile 0
	s_movk_i32 s13, 0x200
	s_add_co_u32 s14, s14, 0x200
	s_add_co_ci_u32 s15, s15, 0
	tensor_load_to_lds s[12:15], s[16:23]   ; tile 1
	s_wait_tensorcnt 0x1

.Lloop:
	s_wait_tensorcnt 0x2                    ; tile t; the store of tile t-1 and the load of tile t+1 are younger
	v_add_nc_u32_e32 v2, s25, v1
	ds_load_b128 v[4:7], v2
	s_wait_dscnt 0x0
	v_lshl_add_u32 v4, v4, 1, 1
	v_lshl_add_u32 v5, v5, 1, 1
	v_lshl_add_u32 v6, v6, 1, 1
	v_lshl_add_u32 v7, v7, 1, 1
	ds_store_b128 v2, v[4:7]
	s_wait_dscnt 0x0
	tensor_store_from_lds s[24:27], s[16:23] ; tile t, from its buffer <<< other end
	s_add_co_i32 s25, s25, 0x200            ; the next buffer
	s_cmp_eq_u32 s25, 0x600
	s_cselect_b32 s25, 0, s25
	s_add_co_u32 s26, s26, 0x200
	s_add_co_ci_u32 s27, s27, 0
	s_add_co_i32 s10, s10, -1
	s_cmp_lt_u32 s10, 2
	s_cbranch_scc1 .Llast
	s_add_co_i32 s13, s13, 0x200
	s_cmp_eq_u32 s13, 0x600
	s_cselect_b32 s13, 0, s13
	s_add_co_u32 s14, s14, 0x200
	s_add_co_ci_u32 s15, s15, 0
	tensor_load_to_lds s[12:15], s[16:23]   ; tile t+2 <<< advice[R4] missing-wait
	s_branch .Lloop
.Llast: ; nothing more to ask for
	s_wait_tensorcnt 0x1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lloop
	s_wait_tensorcnt 0x0                    ; the last store has read LDS
	s_endpgm
.Lend:
	.size stages, .Lend-stages

	.rodata
	.p2align 6
	.amdhsa_kernel stages
		.amdhsa_group_segment_fixed_size 1536
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
