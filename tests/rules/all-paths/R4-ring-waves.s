; Two waves fill two buffers in turn, each its half, and read each other's half. Which buffer it is stands in the
; parity of the tile; how many tiles there are is an argument.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	s_load_dword s16, s[0:1], 0x10                      ; tiles
	v_readfirstlane_b32 s10, v0
	s_lshl_b32 s10, s10, 2                              ; where the wave's half begins
	v_xor_b32_e32 v5, 0x100, v1                         ; a byte of the other half
	v_mov_b32_e32 v4, 0
	s_mov_b32 s11, 0
	s_mov_b32 m0, s10
	s_nop 0
	global_load_lds_dword v[2:3], off                   ; <<< other end
	s_waitcnt lgkmcnt(0)
.Lloop:
	s_add_u32 s12, s11, 1
	s_and_b32 s13, s12, 1
	s_lshl_b32 s13, s13, 9
	s_add_u32 m0, s13, s10
	s_nop 0
	global_load_lds_dword v[2:3], off                   ; <<< other end
	.if RIGHT
	s_waitcnt vmcnt(1)
	.else
	s_waitcnt vmcnt(2)
	.endif
	s_barrier                                           ; <<< hint: s_waitcnt vmcnt(1)
	s_and_b32 s13, s11, 1
	s_lshl_b32 s13, s13, 9
	v_add_u32_e32 v6, s13, v5
	ds_read_b32 v7, v6                                  ; <<< error[R4] missing-wait
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_u32_e32 v4, v4, v7
	s_mov_b32 s11, s12
	s_cmp_lt_u32 s11, s16
	s_cbranch_scc1 .Lloop
	s_waitcnt vmcnt(0)
	global_store_dword v1, v4, s[6:7]
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
    .max_flat_workgroup_size: 128
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
      - { .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global }
      - { .size: 4, .offset: 16, .value_kind: by_value }
	.end_amdgpu_metadata
	.include "end-gfx950.inc"
