; A round that was peeled off a loop still asks whether there is another one to copy for, which there never is: no wave that was
; supposed comes by there. That is a warning.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	s_load_dword s16, s[0:1], 0x10                      ; tiles
	v_lshlrev_b32_e32 v2, 4, v0
	s_mov_b32 m0, 0
	s_nop 0
	global_load_lds_dwordx4 v2, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_and_b32 s17, s16, -2                              ; one less than the tiles, which are odd
	s_bitcmp0_b32 s16, 0
	s_cbranch_scc1 .Leven
	s_waitcnt vmcnt(0)
	s_add_u32 s18, s17, 1
	s_cmp_ge_u32 s18, s16
	s_cbranch_scc1 .Lskip
	global_load_lds_dwordx4 v2, s[4:5] offset:16        ; <<< other end
.Lskip:
	ds_read_b32 v3, v1
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v3, s[6:7]
	.if RIGHT
	s_waitcnt vmcnt(1)
	.endif
	s_endpgm                                            ; <<< warning[R7] missing-wait
.Leven:
	s_waitcnt vmcnt(0)
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
