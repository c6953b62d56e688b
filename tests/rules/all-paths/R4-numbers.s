; A copy is not waited for where there are few tiles, for which the kernel may not be meant: the warning says for how many that is.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	s_load_dword s16, s[0:1], 0x10                      ; tiles
	v_lshlrev_b32_e32 v2, 4, v0
	s_mov_b32 m0, 0
	s_nop 0
	global_load_lds_dwordx4 v2, s[4:5]                  ; <<< other end
	s_waitcnt lgkmcnt(0)
	.if !RIGHT
	s_cmp_lt_u32 s16, 16
	s_cbranch_scc1 .Lfew
	.endif
	s_waitcnt vmcnt(0)
.Lfew:
	ds_read_b32 v3, v1                                  ; <<< warning[R4] missing-wait <<< hint: s_waitcnt vmcnt(0)
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 64
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
      - { .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global }
      - { .size: 4, .offset: 16, .value_kind: by_value }
	.end_amdgpu_metadata
	.include "end-gfx950.inc"
