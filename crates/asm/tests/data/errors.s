; target: gfx950
	.bogus 1
	s_bogus s0
	s_nop
	.byte 256
	.byte 1 2
	.long (1
	.long 1/0
	.long "x
	.quad 18446744073709551616
	.p2align 40
	.balign 3
	.section .text,"aw"
	.section x,"q"
	.fill -1
	.org -5
	.globl 5
twice:
twice:
	.set twice, 5
	.type twice, @banana
	.size twice
	.include "other.s"
	s_branch nowhere
	s_branch twice+4
	s_mov_b32 s0, .Lnowhere
	s_mov_b32 s0, foo@bar
	s_branch 9f
	.long 9b
	.if later
	.endif
	.endif
	.else
	.macro m x:req, y:vararg, z
	.endm
	.macro need x:req
	.byte \x
	.endm
	need
	need 1, 2
	need 300
	.endm
	.rept 3
	.byte 1000
	.endr
	.error "stop"
	.popsection
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdgcn_target "banana"
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950:xnack-"
	.amdgcn_target "amdgpu9.5-amd-amdhsa-unknown-gfx950"
	.amdhsa_code_object_version 9
	.loc 5 1
	.uleb128 later
	.amdgpu_lds big, 1000000
	.space 99999999999
	x = y
	.long x - q
	.short q
	.set later, 4
	.macro open
	s_nop 0 /* no end
;> file:2:2: error: unknown directive .bogus
;> file:3:2: error: invalid instruction
;> file:4:7: error: unknown token in expression
;> file:5:8: error: 256 does not fit in 1 byte
;> file:6:10: error: expected the end of the statement
;> file:7:10: error: expected ')'
;> file:8:9: error: division by zero
;> file:9:8: error: the string has no closing quote
;> file:10:8: error: the number does not fit in 64 bits
;> file:11:11: error: the alignment is larger than 2 GiB
;> file:12:10: error: the alignment 3 is not a power of two
;> file:13:11: error: section .text had the flags 0x6 before, now 0x7
;> file:14:14: error: unknown section flag 'q' (known: a w x o M S T G e R ?)
;> file:15:8: warning: the count -1 is negative: nothing is filled
;> file:16:7: error: cannot move back from 1 to -5
;> file:17:9: error: expected a name
;> file:19:1: error: symbol twice is already defined
;> file:20:7: error: symbol twice is already defined
;> file:21:16: error: unknown symbol type (expected @function, @object, @tls_object, @common, @notype, @gnu_indirect_function or @gnu_unique_object)
;> file:22:13: error: expected ','
;> file:23:11: error: other.s cannot be read: this text stands alone
;> file:24:11: error: undefined label nowhere
;> file:25:11: error: expected an absolute expression or a label
;> file:26:16: error: undefined label .Lnowhere
;> file:27:16: error: unknown relocation specifier @bar
;> file:28:11: error: there is no such numeric label after this
;> file:29:8: error: no numeric label of this number before
;> file:30:6: error: expected an absolute expression, but later is not defined
;> file:32:2: error: .endif without .if
;> file:33:2: error: .else without .if
;> file:34:28: error: a :vararg parameter must be the last
;> file:39:2: error: macro need needs a value for x
;> file:40:10: error: macro need takes 1 argument
;> file:41:2: error: 300 does not fit in 1 byte
;>   note: in the expansion of macro need
;> file:42:2: error: .endm closes nothing
;> file:43:2: error: 1000 does not fit in 1 byte
;>   note: in the expansion of .rept
;> file:43:2: error: 1000 does not fit in 1 byte
;>   note: in the expansion of .rept
;> file:43:2: error: 1000 does not fit in 1 byte
;>   note: in the expansion of .rept
;> file:46:2: error: stop
;> file:47:2: error: .popsection without .pushsection
;> file:48:17: error: the file is for amdgcn-amd-amdhsa--gfx942, but amdgcn-amd-amdhsa--gfx950 was asked for
;> file:49:17: error: `banana` is not a target triple of AMD GPUs (expected for example `amdgcn-amd-amdhsa--gfx942`)
;> file:50:17: error: the file is for amdgcn-amd-amdhsa--gfx950:xnack-, but amdgcn-amd-amdhsa--gfx950 was asked for
;> file:52:30: error: code object version 9 is not one of 4, 5, 6
;> file:53:7: error: there is no .file 5
;> file:55:19: error: 1000000 bytes are more LDS than the 163840 of gfx950
;> file:56:9: error: section .text would be larger than 256 MiB
;> file:58:8: error: the difference is not one that a linker can compute
;> file:59:9: error: an address does not fit in less than 4 bytes
;> file:61:2: error: .macro without .endm
