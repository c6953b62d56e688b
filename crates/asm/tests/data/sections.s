; target: gfx950
	.section .text._Zf,"axG",@progbits,_Zf,comdat
	.weak _Zf
_Zf:
	s_setpc_b64 s[30:31]
	.section .text.g,"ax",@progbits,unique,1
	s_nop 1
	.section .text.g,"ax",@progbits,unique,2
	s_nop 2
	.section .text.g,"ax",@progbits,unique,1
	s_nop 3
	.section .rodata.str,"aMS",@progbits,1
	.asciz "x"
	.section .note.mine,"a",@note
	.p2align 2
	.long 4, 4, 7
	.asciz "abc"
	.long 5
	.section "quoted name","w"
	.byte 1
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .group type 17 flags 0x0 align 4 size 8
;>   01000000 03000000
;> .text._Zf type 1 flags 0x206 align 1 size 4
;>   1e1d80be
;> .text.g type 1 flags 0x6 align 1 size 8
;>   010080bf 030080bf
;> .text.g type 1 flags 0x6 align 1 size 4
;>   020080bf
;> .rodata.str type 1 flags 0x32 align 1 size 2
;>   7800
;> .note.mine type 7 flags 0x2 align 4 size 20
;> quoted name type 1 flags 0x1 align 1 size 1
;>   01
;> _Zf: .text._Zf 0x0 size 0 Weak NoType Default
;> note abc 7: [05, 00, 00, 00]
