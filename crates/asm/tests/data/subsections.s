; target: gfx950
.text
a: s_nop 1
.text 2
b: s_nop 2
.subsection 1
c: s_nop 3
.long b-a
.subsection 0
d: s_nop 4
.data 3
.byte 3
.data
.byte 0
.p2align 3
.data 3
.p2align 2
.byte 4
.section .foo,"a"
.byte 1
.subsection 1
.byte 2
.previous
.byte 3
.text 1
s_branch b
s_branch a
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 28
;>   010080bf 040080bf 030080bf 18000000
;>   010082bf faff82bf 020080bf
;> .data type 1 flags 0x3 align 8 size 13
;>   00000000 00000000 03000000 04
;> .foo type 1 flags 0x2 align 1 size 3
;>   010302
;> a: .text 0x0 size 0 Local NoType Default
;> b: .text 0x18 size 0 Local NoType Default
;> c: .text 0x8 size 0 Local NoType Default
;> d: .text 0x4 size 0 Local NoType Default
