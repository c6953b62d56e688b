; target: gfx950
.rept 3
.byte \+
.endr
.rept 2
.rept 2
.byte \+
.endr
.byte 0x10+\+
.endr
.irp x,1,2
.byte \x, \+
.endr
.irpc x,12
.byte \x, \+
.endr
.macro m
.byte \@, \+
.endm
m
m
.macro n
.byte \@
m
.byte \@
.endm
n
m
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 27
;>   00010200 00100101 11010002 01010002
;>   01000001 01020302 020403
