; target: gfx950
.altmacro
.macro m a, b
.byte \a
.byte b
.endm
m %1+2, <3>
m <1>, %(4*5)
m %(1+1) %3
.macro s str
.ascii "&str&"
.ascii "str"
.ascii "\str&x"
.asciz "x&str"
.endm
s <a!>b,c>
s <a b>
s "q r"
.irp x, %1+1, <2>
.byte x, \x
.endr
.macro c x y
x&y: .byte 1
\x&z: .byte 2
.endm
c foo bar
.noaltmacro
.macro d x
.ascii "x \x"
.endm
d %1
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 74
;>   03030114 0226613e 622c6361 3e622c63
;>   613e622c 63787826 613e622c 63002661
;>   20626120 62612062 78782661 20620026
;>   71207271 20727120 72787826 71207200
;>   02020202 01027820 2531
;> foobar: .text 0x44 size 0 Local NoType Default
;> fooz: .text 0x45 size 0 Local NoType Default
