; target: gfx950
.byte 1
.end
garbage here ,,,
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 1
;>   01
