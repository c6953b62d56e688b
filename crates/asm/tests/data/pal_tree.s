; target: amdgcn-amd-amdpal--gfx1030

.amdgcn_target "amdgcn-amd-amdpal--gfx1030"
.text
.globl main_cs
main_cs:
    s_endpgm
.amdgpu_pal_metadata
---
amdpal.version: [2, 6]
amdpal.pipelines:
  - .type: Cs
    .hardware_stages:
      .cs:
        .entry_point: main_cs
        .vgpr_count: 0x8
    .registers:
      0x2e12 (COMPUTE_PGM_RSRC1): 0xaf0000
      11795: 0x10                     ; a comment
...
.end_amdgpu_pal_metadata
;> gfx1030 V3
;> .text type 1 flags 0x6 align 4 size 4
;>   000081bf
;> .note type 7 flags 0x0 align 4 size 148
;> main_cs: .text 0x0 size 0 Global NoType Default
;> note AMDGPU 32: [82, b0, 61, 6d, 64, 70, 61, 6c, 2e, 70, 69, 70, 65, 6c, 69, 6e, 65, 73, 91, 83, b0, 2e, 68, 61, 72, 64, 77, 61, 72, 65, 5f, 73, 74, 61, 67, 65, 73, 81, a3, 2e, 63, 73, 82, ac, 2e, 65, 6e, 74, 72, 79, 5f, 70, 6f, 69, 6e, 74, a7, 6d, 61, 69, 6e, 5f, 63, 73, ab, 2e, 76, 67, 70, 72, 5f, 63, 6f, 75, 6e, 74, 08, aa, 2e, 72, 65, 67, 69, 73, 74, 65, 72, 73, 82, cd, 2e, 12, ce, 00, af, 00, 00, cd, 2e, 13, 10, a5, 2e, 74, 79, 70, 65, a2, 43, 73, ae, 61, 6d, 64, 70, 61, 6c, 2e, 76, 65, 72, 73, 69, 6f, 6e, 92, 02, 06]
