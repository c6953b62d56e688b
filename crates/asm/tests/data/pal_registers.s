; target: amdgcn-amd-amdpal--gfx900

    s_endpgm
.amd_amdgpu_pal_metadata 0x2c0b, 2, 0x2c0a, 0x1000000
.amd_amdgpu_pal_metadata 0x2c0b, 1 + 4
;> gfx900:xnack+ V3
;> .text type 1 flags 0x6 align 4 size 4
;>   000081bf
;> .note type 7 flags 0x0 align 4 size 32
;> note AMD 12: [0a, 2c, 00, 00, 00, 00, 00, 01, 0b, 2c, 00, 00, 07, 00, 00, 00]
