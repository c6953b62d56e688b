; target: gfx950
	.data
	.macro pair a, b=7, rest:vararg
	.byte \a, \b
	.ifnb \rest
	pair \rest
	.endif
	.endm
	pair 1
	pair 1, 2
	pair 1, 2, 3, 4
	pair b=9, a=8
	.macro label n
lab\n\()_\@:
	.byte \n
	.endm
	label 5
	label 6
	.rept 2
	.rept 2
	.byte 0xaa
	.endr
	.byte 0xbb
	.endr
	.irp v, 1, 2, 3
	.byte \v
	.endr
	.irpc c, 456
	.byte \c
	.endr
	.macro early
	.byte 1
	.exitm
	.byte 2
	.endm
	early
	.if 1 == 1
	.byte 10
	.elseif 1
	.byte 11
	.else
	.byte 12
	.endif
	.ifdef nothing
	.byte 13
	.if bogus
	.endif
	.else
	.byte 14
	.endif
	.ifndef nothing
	.byte 15
	.endif
	.ifc a, a
	.byte 16
	.endif
	.ifeqs "a", "b"
	.byte 17
	.endif
	.iflt -1
	.byte 18
	.endif
	.purgem early
	.warning "take care"
;> file:64:2: warning: take care
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .data type 1 flags 0x3 align 1 size 30
;>   01070102 01020304 08090506 aaaabbaa
;>   aabb0102 03040506 010a0e0f 1012
;> lab5_5: .data 0xa size 0 Local NoType Default
;> lab6_6: .data 0xb size 0 Local NoType Default
