; target: gfx950
; Bytes whose number depends on what comes later.
.data
.fill end-start, 2, 7
.space end-start, 1
.zero 1+end-start
.p2align 3
start: .byte 1, 2, 3
end:
.uleb128 far-near
.sleb128 near-far, 5
near: .fill 200
far: .byte 9
.org far+20, 5
.byte 1
.long far-near, end-start
.text 1
s_branch back
.p2align 4
.text
back:
s_nop 0
;> gfx950 V6
;> .text type 1 flags 0x6 align 16 size 16
;>   000080bf feff82bf 000080bf 000080bf
;> .data type 1 flags 0x3 align 8 size 253
;>   07000700 07000101 01000000 00000000
;>   010203c8 01b87e05 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   00000000 00000000 00000000 00000000
;>   09050505 05050505 05050505 05050505
;>   05050505 01c80000 00030000 00
;> start: .data 0x10 size 0 Local NoType Default
;> end: .data 0x13 size 0 Local NoType Default
;> near: .data 0x18 size 0 Local NoType Default
;> far: .data 0xe0 size 0 Local NoType Default
;> back: .text 0x0 size 0 Local NoType Default
