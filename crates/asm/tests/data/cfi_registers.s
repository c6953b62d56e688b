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
