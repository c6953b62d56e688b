; What a wave stores to LDS it reads behind a barrier, without waiting before: in order, as workgroups have one wave; or not, as
; they have two.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshlrev_b32_e32 v1, 2, v0
	v_xor_b32_e32 v2, 0x100, v1
	ds_write_b32 v1, v0                     ; <<< other end
	s_barrier                               ; <<< hint: s_waitcnt lgkmcnt(0)
	.if RIGHT
	ds_read_b32 v3, v1
	.else
	ds_read_b32 v3, v2                      ; <<< error[S1] missing-wait
	.endif
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.if RIGHT
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [64, 1, 1]
    .args:
      - {.address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer}
      - {.address_space: global, .offset: 8, .size: 8, .value_kind: global_buffer}
	.end_amdgpu_metadata
	.else
	.include "two-waves-gfx950.inc"
	.endif
