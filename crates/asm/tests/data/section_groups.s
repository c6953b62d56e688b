; target: gfx950
.section .a,"axG",@progbits,grp,comdat
.globl f
f: s_nop 0
.section .b,"aG",@progbits,grp,comdat
.long f
.section .c,"aG",@progbits,grp2
.long 1
.section .d,"ao",@progbits,.text
.long 1
.section .e,"ao",@progbits,f
.long 2
.section .f,"a",@progbits,unique,5
.long 3
.section .f,"a",@progbits,unique,6
.long 4
.section .g,"awR",@nobits
.space 16
.section .h,"a?"
.long 7
.section .i,"axG",@progbits,grp,comdat
.section .j,"a?",@progbits
.long 9
.text
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .group type 17 flags 0x0 align 4 size 24
;>   01000000 03000000 04000000 10000000
;>   0d000000 0e000000
;> .a type 1 flags 0x206 align 1 size 4
;>   000080bf
;> .b type 1 flags 0x202 align 1 size 4
;>   00000000
;>   at 0x0: R_AMDGPU_ABS32 f +0
;> .group type 17 flags 0x0 align 4 size 8
;>   00000000 06000000
;> .c type 1 flags 0x202 align 1 size 4
;>   01000000
;> .d type 1 flags 0x82 align 1 size 4
;>   01000000
;> .e type 1 flags 0x82 align 1 size 4
;>   02000000
;> .f type 1 flags 0x2 align 1 size 4
;>   03000000
;> .f type 1 flags 0x2 align 1 size 4
;>   04000000
;> .g type 8 flags 0x200003 align 1 size 16
;> .h type 1 flags 0x2 align 1 size 4
;>   07000000
;> .i type 1 flags 0x206 align 1 size 0
;> .j type 1 flags 0x202 align 1 size 4
;>   09000000
;> grp: .group 0x0 size 0 Local NoType Default
;> grp2: .group 0x0 size 0 Local NoType Default
;> f: .a 0x0 size 0 Global NoType Default
