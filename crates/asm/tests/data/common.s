; target: gfx950
.lcomm l1, 8
.lcomm l2, 16
.comm c1, 8, 16
.comm c2, 4
.local loc
.comm loc, 32, 8
.globl g
.long l1
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 4
;>   00000000
;>   at 0x0: R_AMDGPU_ABS32 .bss +0
;> .bss type 8 flags 0x3 align 256 size 288
;> l1: .bss 0x0 size 8 Local Object Default
;> l2: .bss 0x8 size 16 Local Object Default
;> loc: .bss 0x100 size 32 Local Object Default
;> c1: common 0x10000 size 8 Global Object Default
;> c2: common 0x1 size 4 Global Object Default
;> g: undefined 0x0 size 0 Global NoType Default
