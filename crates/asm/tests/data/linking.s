; target: gfx942

.weak_reference w
.memtag m
.cold
.line 12
.line
.lto_discard gone, constant
gone:
    s_nop 1
.globl gone, kept
constant = 5
.lto_discard
constant = 6
kept:
    s_endpgm
.lto_set_conditional by_kept, kept
.lto_set_conditional by_later, later
.lto_set_conditional by_nobody, nobody
later:
.macro twice
    s_nop 2
    s_nop 2
.endm
    twice
.macros_off
.macros_on
    twice
.data
.byte 1, 2, 3, 4
.align32 16, 0x01020304
;> gfx942 V6
;> .text type 1 flags 0x6 align 4 size 24
;>   010080bf 000081bf 020080bf 020080bf
;>   020080bf 020080bf
;> .data type 1 flags 0x3 align 16 size 16
;>   01020304 04030201 04030201 04030201
;> constant: absolute 0x6 size 0 Local NoType Default
;> by_kept: .text 0x4 size 0 Local NoType Default
;> later: .text 0x8 size 0 Local NoType Default
;> by_later: .text 0x8 size 0 Local NoType Default
;> w: undefined 0x0 size 0 Weak NoType Default
;> m: undefined 0x0 size 0 Global NoType Default
;> kept: .text 0x4 size 0 Global NoType Default
