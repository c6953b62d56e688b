; target: gfx950
; Scalars of metadata as LLVM's YAML reads them.
	.amdgpu_metadata
---
amdhsa.version: [ 1, '2' ]
amdhsa.kernels:
  - .name: n
    .symbol: n.kd
    .kernarg_segment_size: 010
    .kernarg_segment_align: 0x8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: '0'
    .wavefront_size: 64
    .sgpr_count: 0b110
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .uses_dynamic_stack: false
a: True
b: ~
c: yes
...
	.end_amdgpu_metadata
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .note type 7 flags 0x2 align 4 size 292
;> a: "True"
;> amdhsa.kernels:
;>   - .group_segment_fixed_size: 0
;>     .kernarg_segment_align: 8
;>     .kernarg_segment_size: 8
;>     .max_flat_workgroup_size: 256
;>     .name: "n"
;>     .private_segment_fixed_size: 0
;>     .sgpr_count: 6
;>     .symbol: n.kd
;>     .uses_dynamic_stack: false
;>     .vgpr_count: 4
;>     .wavefront_size: 64
;> amdhsa.version:
;>   - 1
;>   - 2
;> b: "~"
;> c: "yes"
