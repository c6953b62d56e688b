; target: gfx942

.globl caller
caller:
    s_nop 0
.Llocal:
    s_endpgm
.cg_profile caller, elsewhere, 7
.cg_profile .Llocal, caller, 0x123456789
;> gfx942 V6
;> .text type 1 flags 0x6 align 4 size 8
;>   000080bf 000081bf
;> .llvm.call-graph-profile type 1879002121 flags 0x80000000 align 1 size 16
;>   07000000 00000000 89674523 01000000
;>   at 0x0: R_AMDGPU_NONE caller +0
;>   at 0x0: R_AMDGPU_NONE elsewhere +0
;>   at 0x8: R_AMDGPU_NONE .text +0
;>   at 0x8: R_AMDGPU_NONE caller +0
;> .rel.llvm.call-graph-profile type 9 flags 0x40 align 8 size 64
;>   00000000 00000000 00000000 02000000
;>   00000000 00000000 00000000 03000000
;>   08000000 00000000 00000000 01000000
;>   08000000 00000000 00000000 02000000
;> caller: .text 0x0 size 0 Global NoType Default
;> elsewhere: undefined 0x0 size 0 Global NoType Default
