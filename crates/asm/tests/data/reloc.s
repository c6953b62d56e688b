; target: gfx950
.text
a: s_nop 0
 s_nop 0
 .reloc 0, R_AMDGPU_ABS32, foo
 .reloc 4, R_AMDGPU_REL32, bar+4
 .reloc a+4, R_AMDGPU_NONE, a
 .reloc ., R_AMDGPU_ABS64, foo
 .reloc 8, BFD_RELOC_NONE, foo
 .reloc 8, BFD_RELOC_32, foo
 .reloc 8, BFD_RELOC_64, 9
 .reloc 8, R_AMDGPU_ABS32
 s_nop 0
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 12
;>   000080bf 000080bf 000080bf
;>   at 0x0: R_AMDGPU_ABS32 foo +0
;>   at 0x4: R_AMDGPU_REL32 bar +4
;>   at 0x4: R_AMDGPU_NONE a +0
;>   at 0x8: R_AMDGPU_ABS64 foo +0
;>   at 0x8: R_AMDGPU_NONE foo +0
;>   at 0x8: R_AMDGPU_ABS32 foo +0
;>   at 0x8: R_AMDGPU_ABS64  +9
;>   at 0x8: R_AMDGPU_ABS32  +0
;> a: .text 0x0 size 0 Local NoType Default
;> foo: undefined 0x0 size 0 Global NoType Default
;> bar: undefined 0x0 size 0 Global NoType Default
