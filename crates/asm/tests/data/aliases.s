; target: gfx950
; A name for a place keeps its own binding in relocations.
g: .long 1
.globl g
.set alias, g
.data
.long alias
.set a2, g+4
.long a2
.set loc, q
.long loc
q: .long 2
.weak a3
.set a3, q
.long a3
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 4
;>   01000000
;> .data type 1 flags 0x3 align 1 size 20
;>   00000000 00000000 00000000 02000000
;>   00000000
;>   at 0x0: R_AMDGPU_ABS32 .text +0
;>   at 0x4: R_AMDGPU_ABS32 .text +4
;>   at 0x8: R_AMDGPU_ABS32 .data +12
;>   at 0x10: R_AMDGPU_ABS32 a3 +0
;> alias: .text 0x0 size 0 Local NoType Default
;> a2: .text 0x4 size 0 Local NoType Default
;> loc: .data 0xc size 0 Local NoType Default
;> q: .data 0xc size 0 Local NoType Default
;> g: .text 0x0 size 0 Global NoType Default
;> a3: .data 0xc size 0 Weak NoType Default
