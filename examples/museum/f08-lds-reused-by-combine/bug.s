; F8. Combining the splits of an attention: the weights lie in LDS, and the partial results go through the same LDS.
; A wave that has done its splits stores its partial results where the other may still read weights.
; out[i] = sum over 8 splits of lse[s] * o[s][i]; wave w does the splits 2k + w, then wave 0 adds up.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl combine
	.p2align 8
	.type combine,@function
combine:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      ; s[4:5] = lse, s[6:7] = o
	s_load_dwordx2 s[10:11], s[0:1], 0x10   ; s[10:11] = out
	v_lshlrev_b32_e32 v1, 2, v0             ; v1: my partial result in LDS
	v_and_b32_e32 v2, 0xfc, v1              ; v2: my column of o
	v_lshrrev_b32_e32 v3, 6, v0
	s_movk_i32 s9, 0x4                      ; my splits
	v_readfirstlane_b32 s8, v3              ; s8: my wave
	v_lshlrev_b32_e32 v4, 8, v3
	v_add_u32_e32 v4, v4, v2                ; v4: my element of o, in split w
	v_lshlrev_b32_e32 v3, 2, v3             ; v3: the weight of split w in LDS
	v_mov_b32_e32 v5, 0                     ; v5: my partial result
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, 8, v0             ; the first 8 lanes bring the weights
	s_and_saveexec_b64 s[12:13], vcc
	global_load_dword v6, v1, s[4:5]
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v6
	s_mov_b64 exec, s[12:13]
	s_waitcnt lgkmcnt(0)
	s_barrier
.Lsplit:
	global_load_dword v6, v4, s[6:7]
	ds_read_b32 v7, v3                      ; the weight <<< other end
	v_add_u32_e32 v4, 0x200, v4
	v_add_u32_e32 v3, 8, v3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mul_lo_u32 v6, v6, v7
	v_add_u32_e32 v5, v5, v6
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lsplit

	ds_write_b32 v1, v5                     ; <<< error[S2] missing-sync
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ldone
	ds_read_b32 v6, v1 offset:256           ; wave 1's
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v5, v5, v6
	global_store_dword v2, v5, s[10:11]
.Ldone:
	s_endpgm
.Lend:
	.size combine, .Lend-combine

	.rodata
	.p2align 6
	.amdhsa_kernel combine
		.amdhsa_group_segment_fixed_size 512
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel
