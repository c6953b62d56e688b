; target: gfx950
.macro v a:vararg
.ascii "[\a]"
.endm
v 1, x   y, z
v
.macro w a, b=5, c:req, d:vararg
.ascii "\a,\b,\c,\d "
.endm
w 1,,3
w 1,2,3,4 , 5
w c=9
w a=1,c=2
.macro noarg
.byte 1
.endm
noarg
noarg
.irp x, a b, c
.ascii "<\x>"
.endr
.irp x, "a b", c+1, (2 3)
.ascii "<\x>"
.endr
.irp x,1,,2,
.ascii "<\x>"
.endr
.irp x,
.ascii "<\x>"
.endr
.irpc x,abc
.ascii "<\x>"
.endr
.irpc x,"d e"
.ascii "<\x>"
.endr
.irpc x,123
.byte \x
.endr
.macro outer n
.rept \n
.irp r, 1, 2
.byte \n, \r, \@
.endr
.endr
.endm
outer 2
outer 1
.macro rec n
.if \n
.byte \n
rec (\n-1)
.endif
.endm
rec 5
.macro ex n
.if \n > 1
.byte 0xee
.exitm
.endif
.byte 0xdd
.endm
ex 1
ex 2
.BYTE 1
.macro q
.byte 3
.endm
q
.if 1
.Else
.byte 9
.EndIf
.macro lab
l\@: .long l\@
.endm
lab
lab
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 139
;>   5b312c20 78202020 792c207a 5d5b5d31
;>   2c352c33 2c20312c 322c332c 34202c20
;>   35202c35 2c392c20 312c352c 322c2001
;>   013c613e 3c623e3c 633e3c61 20623e3c
;>   632b313e 3c283220 33293e3c 313e3c3e
;>   3c323e3c 613e3c62 3e3c633e 3c643e3c
;>   203e3c65 3e010203 02010802 02080201
;>   08020208 01010901 02090504 030201dd
;>   ee010300 00000000 000000
;>   at 0x83: R_AMDGPU_ABS32 .text +131
;>   at 0x87: R_AMDGPU_ABS32 .text +135
;> l19: .text 0x83 size 0 Local NoType Default
;> l20: .text 0x87 size 0 Local NoType Default
