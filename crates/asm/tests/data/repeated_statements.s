; target: gfx950
; a statement that was met before, where it means something else than it did
.set n, 1
s_nop 7
s_nop n
.set n, 2
s_nop n
s_nop 7
.macro s_nop k
s_sleep \k
.endm
s_nop 7
.macros_off
s_nop 7
.macros_on
s_nop 7
.purgem s_nop
s_nop 7
; registers count again after the text has set their number
v_mov_b32 v6, v1
.set .amdgcn.next_free_vgpr, 0
v_mov_b32 v6, v1
.byte .amdgcn.next_free_vgpr
.if 0
v_mov_b32 v6, v1
.endif
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 41
;>   070080bf 010080bf 020080bf 070080bf
;>   07008ebf 070080bf 07008ebf 070080bf
;>   01030c7e 01030c7e 07
;> n: absolute 0x2 size 0 Local NoType Default
;> .amdgcn.next_free_vgpr: absolute 0x7 size 0 Local NoType Default
