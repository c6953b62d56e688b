; target: gfx950
.weakref al, target
.weakref al2, target2
.long al
.long al+4
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 8
;>   00000000 00000000
;>   at 0x0: R_AMDGPU_ABS32 target +0
;>   at 0x4: R_AMDGPU_ABS32 target +4
;> target: undefined 0x0 size 0 Weak NoType Default
