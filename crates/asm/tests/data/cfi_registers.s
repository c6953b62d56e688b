; target: gfx950
.cfi_startproc
.cfi_offset v5, 4
.cfi_offset s5,4
.cfi_offset exec,4
 .cfi_offset pc, 4
.cfi_offset s70,8
.cfi_offset a5, 4
.cfi_llvm_def_aspace_cfa 5, 16, 6
.cfi_rel_offset 6,32
.cfi_endproc
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .eh_frame type 1 flags 0x2 align 8 size 64
;>   10000000 00000000 017a5200 04041001
;>   1b000000 28000000 18000000 00000000
;>   00000000 00058514 01a50191 01900105
;>   c6080205 85180130 05100686 04000000
;>   at 0x1c: R_AMDGPU_REL32 .text +0
