; target: gfx1100

.amdgpu_pal_metadata
amdpal.version: [2, 6]
.end_amdgpu_pal_metadata
;> gfx1100 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .note type 7 flags 0x2 align 4 size 72
;> note AMDGPU 32: [82, b0, 61, 6d, 64, 70, 61, 6c, 2e, 70, 69, 70, 65, 6c, 69, 6e, 65, 73, 91, 81, aa, 2e, 72, 65, 67, 69, 73, 74, 65, 72, 73, 80, ae, 61, 6d, 64, 70, 61, 6c, 2e, 76, 65, 72, 73, 69, 6f, 6e, 92, 02, 06]
