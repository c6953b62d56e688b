; target: gfx950
.version "1.2"
.ident "my compiler"
.ident "x"
.version "long string here"
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .note type 7 flags 0x0 align 4 size 48
;> .comment type 1 flags 0x30 align 1 size 15
;>   006d7920 636f6d70 696c6572 007800
;> note 1.2 1: []
;> note long string here 1: []
