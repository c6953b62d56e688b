; target: gfx950
	.section
	.section .a,"a",progbits
	.section .a,"a",@banana
	.section .b,#alloc,#fast
	.section .c,"aM",@progbits
	.section .c,"aM",@progbits,0
	.section .d,"aG",@progbits
	.section .d,"aG",@progbits,g,once
	.section .e,"ao",@progbits
	.section .e,"ao",@progbits,nowhere
	.section .f,"a",@progbits,unique
	.section .f,"a",@progbits,unique,-1
	.section .g,"aG?",@progbits,g
	.section .h x
	.subsection -1
	.subsection later
	.text
	.previous 1
	.pushsection .data,"aw",@progbits
	.popsection
	.comm
	.comm c
	.comm c,-4
	.comm c,4,32
	.comm c,4
	.comm c,8
	.lcomm l,4,8
	.weakref a
	.weakref a,a
	.symver s
	.symver s,t
	.symver s,s@@V1
	.reloc
	.reloc 0,R_X86_64_64,foo
	.reloc -4,R_AMDGPU_ABS32,foo
	.reloc 0,R_AMDGPU_ABS32,foo-bar
	.local once
	.globl once
	.type
	.type f,@banana
	.addrsig_sym
	.float 1.5.5
	.float x
	.double 0x10
	.octa 0x123456789abcdef0123456789abcdef012
	.base64 "a"
	.ascii "a" "b
	.asciz "a" "b"
	.uleb128
	.fill
	.fill 1,9
	.ds.q 1
	.ds.l -1
	.dcb.l 1
	.dcb.b 1,300
	.dcb.x 1,1
	.incbin "none"
	.include "none"
	.include none
	.macro
	.endm
	.macro m a b:opt
	.endm
	.macro twice
	.endm
	.macro twice
	.endm
	.macro two a, b
	.byte \a
	.endm
	two 1, 2, 3
	two a=1, 2
	two c=1
	two (1
	.purgem none
	.irp
	.endr
	.irpc x,a b
	.endr
	.rept -1
	.endr
	.rept later
	.endr
	.exitm
	.cfi_endproc
	.cfi_def_cfa 1,2
	.cfi_startproc
	.cfi_startproc
	.cfi_offset vcc,4
	.cfi_personality 0x7f,p
	.cfi_endproc
	.file 1
	.file 1 "a"
	.file 1 "b"
	.file 2 "c" md5 x
	.loc
	.loc 7 1
	.loc 1 1 1 fast
	.loc 1 1 1 is_stmt 2
	.amd_kernel_code_t
	kernel_code_entry_byte_offset = 256
	.end_amd_kernel_code_t
	.hsa_code_object_version 2,1
	.amdgpu_hsa_kernel k
	.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx950"
	.amdgpu_pal_metadata
	---
	.end_amdgpu_pal_metadata
	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels: [
...
	.end_amdgpu_metadata
	.amdgpu_lds
	.amdgpu_lds l, 4, 3
	.ifdef
	.endif
	.ifc a
	.endif
	.ifeqs "a"
	.endif
	.if 1 2
	.endif
	.elseif 1
	.print
	.ident x
	.version
;> file:2:10: error: expected a section name
;> file:3:18: error: expected a section type such as @progbits, %nobits or "note"
;> file:4:18: error: unknown section type banana (known: progbits, nobits, note, init_array, fini_array, preinit_array, …)
;> file:5:22: error: expected #alloc, #write, #execinstr or #tls
;> file:6:28: error: expected ',' and the size of the entries that may be merged
;> file:7:29: error: the entry size 0 is not positive
;> file:8:28: error: expected ',' and the name of the group
;> file:9:31: error: expected comdat
;> file:10:28: error: expected ',' and the symbol whose section this one is linked to, or 0
;> file:11:29: error: nowhere is not in a section of this file yet
;> file:12:34: error: expected ','
;> file:13:35: error: the unique id -1 is not within 0 to 4294967294
;> file:14:19: error: the flag '?' takes the group of the section before: it cannot have one of its own
;> file:15:14: error: expected the end of the statement
;> file:16:14: error: the subsection -1 is not within 0 to 2147483647
;> file:17:14: error: expected an absolute expression, but later is not defined
;> file:19:12: error: expected the end of the statement
;> file:22:7: error: expected a name
;> file:23:9: error: expected ','
;> file:24:10: error: expected a number from 0 on, not -4
;> file:25:12: error: the alignment is larger than 2 GiB
;> file:27:8: error: symbol c is already defined
;> file:28:12: error: LLVM takes no alignment here on AMD GPUs; use .local and .comm
;> file:29:12: error: expected ','
;> file:30:13: error: a cannot stand for itself
;> file:31:11: error: expected ','
;> file:32:12: error: expected a name with a version: name@version
;> file:34:8: error: expected an expression
;> file:35:11: error: unknown relocation type R_X86_64_64 (expected one such as R_AMDGPU_ABS32)
;> file:36:9: error: the offset -4 of a relocation is negative
;> file:37:26: error: expected a symbol and a number
;> file:39:9: error: symbol once was local before, now global
;> file:40:7: error: expected a name
;> file:41:11: error: unknown symbol type (expected @function, @object, @tls_object, @common, @notype, @gnu_indirect_function or @gnu_unique_object)
;> file:42:14: error: expected a name
;> file:43:12: error: expected the end of the statement
;> file:44:9: error: expected a real number, such as 1.5, 1e-3, 0x1.8p3, inf or nan
;> file:45:10: error: expected a real number, such as 1.5, 1e-3, 0x1.8p3, inf or nan
;> file:46:8: error: expected a number of up to 128 bits
;> file:47:10: error: expected text in base 64
;> file:48:13: error: the string has no closing quote
;> file:49:13: error: expected the end of the statement
;> file:50:10: error: expected an expression
;> file:51:7: error: expected an expression
;> file:52:10: warning: a .fill value has at most 8 bytes, not 9
;> file:53:2: error: unknown directive .ds.q (did you mean .ds.b?)
;> file:54:8: warning: the count -1 is negative: nothing is filled
;> file:55:10: error: expected ','
;> file:56:11: error: 300 does not fit in 1 byte
;> file:57:2: error: .dcb.x: AMD GPUs have no extended reals
;> file:58:10: error: none cannot be read: this text stands alone
;> file:59:11: error: none cannot be read: this text stands alone
;> file:60:11: error: expected a string
;> file:61:8: error: expected a name
;> file:63:15: error: expected req or vararg
;> file:67:9: error: macro twice is already defined
;> file:72:12: error: macro two takes 2 arguments
;> file:73:11: error: an argument in its turn cannot follow one by name
;> file:74:6: error: macro two has no parameter c
;> file:75:6: error: the parentheses of the argument do not match
;> file:76:10: error: there is no macro none
;> file:77:6: error: expected a name
;> file:79:2: error: .irpc takes one word, whose characters it goes through
;> file:81:8: error: expected a number from 0 on, not -1
;> file:83:8: error: expected an absolute expression, but later is not defined
;> file:85:2: error: .exitm outside a macro
;> file:86:2: error: .cfi_endproc stands between .cfi_startproc and .cfi_endproc
;> file:87:2: error: .cfi_def_cfa stands between .cfi_startproc and .cfi_endproc
;> file:89:2: error: the frame before has no .cfi_endproc
;> file:90:14: error: expected an absolute expression, but vcc is not defined
;> file:91:19: error: 0x7f is no pointer encoding (expected for example 0x1b, or 255 for none)
;> file:93:9: error: expected a string
;> file:95:8: error: there is a .file 1 already
;> file:96:18: error: expected 128 bits, as a hexadecimal number
;> file:97:6: error: expected an expression
;> file:98:7: error: there is no .file 7
;> file:99:13: error: unknown .loc option fast (expected basic_block, prologue_end, epilogue_begin, is_stmt, isa or discriminator)
;> file:100:21: error: is_stmt is 0 or 1, not 2
;> file:101:2: error: .amd_kernel_code_t: on amdhsa it belongs to code object V2, which LLVM no longer writes; use .amdhsa_kernel
;> file:104:2: error: .hsa_code_object_version: it belongs to code object V2, which LLVM no longer writes; .amdgcn_target and .amdhsa_code_object_version say target and version
;> file:105:2: error: .amdgpu_hsa_kernel: on amdhsa it belongs to code object V2, which LLVM no longer writes; .amdhsa_kernel makes a kernel of a symbol
;> file:106:2: error: .amd_amdgpu_isa: on amdhsa it belongs to code object V2, which LLVM no longer writes; .amdgcn_target says the target
;> file:107:2: error: invalid metadata: expected a map, found a string
;> file:113:17: error: invalid metadata: unclosed bracket '['
;> file:116:13: error: expected a name
;> file:117:20: error: the alignment 3 is not a power of two below 2 GiB
;> file:118:8: error: expected a name
;> file:120:7: error: expected two texts with ',' between
;> file:122:12: error: expected ','
;> file:124:8: error: expected the end of the statement
;> file:126:2: error: .elseif without .if
;> file:127:8: error: expected a string
;> file:128:9: error: expected a string
;> file:129:10: error: expected a string
