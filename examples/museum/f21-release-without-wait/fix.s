; F21, mended. Three waves of a workgroup compute, a fourth, which has stored nothing itself, tells another workgroup that it is done.
; A release writes the L2 back and waits until that is over. The compiler did not count the write-back, so that a wave
; without a load or store in flight seemed to have nothing to wait for, and it took the wait out.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl handover
	.p2align 8
	.type handover,@function
handover:
	s_load_dwordx8 s[4:11], s[0:1], 0x0     ; s[4:5] = x, s[6:7] = squares, s[8:9] = ready, s[10:11] = out
	v_lshlrev_b32_e32 v1, 2, v0             ; v1: my dword
	v_lshrrev_b32_e32 v2, 6, v0
	s_nop 0
	v_readfirstlane_b32 s12, v2             ; s12: my wave
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 s2, 0                      ; s2: my workgroup
	s_cbranch_scc1 .Lpoll
	s_cmp_eq_u32 s12, 0
	s_cbranch_scc1 .Lannounce

	global_load_dword v2, v1, s[4:5]        ; waves 1 to 3 of the first workgroup
	s_waitcnt vmcnt(0)
	v_mul_lo_u32 v2, v2, v2
	global_store_dword v1, v2, s[6:7]
	s_waitcnt vmcnt(0)
	s_barrier
	s_endpgm

.Lannounce:                                     ; its wave 0
	v_mov_b32_e32 v4, 1
	s_mov_b64 exec, 1
	s_barrier
	buffer_wbl2 sc1                         ; the squares are to be seen beyond this L2
	s_waitcnt vmcnt(0)                      ; they are
	global_store_dword v3, v4, s[8:9] sc1   ; ready
	s_endpgm

.Lpoll:                                         ; the second workgroup
	global_load_dword v4, v3, s[8:9] sc1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s13, v4
	s_cmp_eq_u32 s13, 0
	s_cbranch_scc1 .Lpoll
	buffer_inv sc1
	s_cmp_eq_u32 s12, 0
	s_cbranch_scc1 .Lnothing
	global_load_dword v5, v1, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v1, v5, s[10:11]
.Lnothing:
	s_endpgm
.Lend:
	.size handover, .Lend-handover

	.rodata
	.p2align 6
	.amdhsa_kernel handover
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
