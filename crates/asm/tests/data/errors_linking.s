; target: gfx942

.cold name
.private_extern name
.weak_definition 1
.lto_discard 5
.lto_set_conditional a
.cg_profile a, b
.cg_profile a, b, -1
.cg_profile a, b, 1 + 1
.cg_profile a b
.abort not this way
.abort
.line x
.macros_off 1
.loc_label
.loc_label again
.loc_label again
.macro m
.endm
.macros_off
m
.macros_on
.nops 4
.code16
.stabs "x", 1, 2, 3, 4
.cv_file 1 "a.c"
.pseudoprobe 1 2 3 4 f
.amd_amdgpu_pal_metadata 1, 2
.amdgpu_pal_metadata_begin
.amdgpu_pal_metadata_end
;> file:3:1: error: .cold is for Mach-O files: ELF has no such attribute
;> file:4:1: error: .private_extern is for Mach-O files: ELF has no such attribute
;> file:5:18: error: expected a name
;> file:6:14: error: expected a name
;> file:7:23: error: expected ','
;> file:8:17: error: expected ','
;> file:9:19: error: expected a number
;> file:10:21: error: expected the end of the statement
;> file:11:15: error: expected ','
;> file:12:1: error: .abort: not this way
;> file:13:1: error: .abort was reached
;> file:14:7: error: expected the end of the statement
;> file:15:13: error: expected the end of the statement
;> file:16:11: error: expected a name
;> file:18:12: error: symbol again is already defined
;> file:22:1: error: invalid instruction
;> file:24:1: error: .nops: only assemblers of x86 have it; .fill writes an instruction several times
;> file:25:1: error: .code16: only assemblers of x86 have it
;> file:26:1: error: .stabs: LLVM writes no stabs; .file and .loc make a line table
;> file:27:1: error: .cv_file: it is CodeView, the debugging information of Windows; .file and .loc make a line table
;> file:28:1: error: .pseudoprobe: it is for profiles of LLVM's own, which nothing reads on a GPU
;> file:29:1: error: .amd_amdgpu_pal_metadata is for the operating system amdpal, this object for amdhsa (.amdgcn_target says which)
;> file:30:1: error: .amdgpu_pal_metadata_begin: LLVM calls it .amdgpu_pal_metadata, which .end_amdgpu_pal_metadata ends
