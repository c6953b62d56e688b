; What a device library does for printf("n=%d\n", 42) in lane 0: one packet of hostcall, to the service of messages (2).
; With FAILS it prints to standard error, and traps then, as an assertion does.
	.ifndef FAILS
	.set FAILS, 0
	.endif
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl print
	.p2align 8
	.type print,@function
print:
	s_mov_b64 exec, 1
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_mov_b32_e32 v0, 0
	s_waitcnt lgkmcnt(0)
	; Headers, payloads, doorbell, the stack of free packets; the mask of a packet's index.
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	s_load_dwordx2 s[16:17], s[4:5], 0x28
	s_waitcnt lgkmcnt(0)
	s_and_b32 s18, s14, s16
	s_mul_i32 s19, s18, 24
	s_add_u32 s8, s8, s19
	s_addc_u32 s9, s9, 0
	s_lshl_b32 s19, s18, 12
	s_add_u32 s10, s10, s19
	s_addc_u32 s11, s11, 0
	; The header: no next packet, lane 0, the service, not answered.
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	v_mov_b32_e32 v5, 0
	global_store_dwordx4 v0, v[2:5], s[8:9]
	v_mov_b32_e32 v6, 2
	v_mov_b32_e32 v7, 1
	global_store_dwordx2 v0, v[6:7], s[8:9] offset:16
	; The payload: begin, end and three words; the stream; the format; the argument.
	v_mov_b32_e32 v8, 0x63
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v10, FAILS
	v_mov_b32_e32 v11, 0
	global_store_dwordx4 v0, v[8:11], s[10:11]
	v_mov_b32_e32 v12, 0x64253d6e
	v_mov_b32_e32 v13, 10
	v_mov_b32_e32 v14, 42
	v_mov_b32_e32 v15, 0
	global_store_dwordx4 v0, v[12:15], s[10:11] offset:16
	; The packet is ready.
	v_mov_b32_e32 v16, s14
	v_mov_b32_e32 v17, s15
	s_waitcnt vmcnt(0)
	global_store_dwordx2 v0, v[16:17], s[4:5] offset:32 sc0 sc1
	s_waitcnt vmcnt(0)
	s_mov_b32 m0, 1
	s_sendmsg sendmsg(MSG_INTERRUPT)
again:
	s_sleep 1
	global_load_dword v1, v0, s[8:9] offset:20 sc0 sc1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s20, v1
	s_cmp_lg_u32 s20, 0
	s_cbranch_scc1 again
	.if FAILS
	s_trap 2
	.endif
	s_endpgm
	.section .rodata,"a"
	.amdhsa_kernel print
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 20
		.amdhsa_next_free_sgpr 24
		.amdhsa_accum_offset 20
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .name: print
    .symbol: print.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 64
    .sgpr_count: 24
    .vgpr_count: 20
    .wavefront_size: 64
    .args:
      - {.offset: 0, .size: 8, .value_kind: hidden_hostcall_buffer, .address_space: global}
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
