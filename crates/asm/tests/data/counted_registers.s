; target: gfx1030

.set .amdgcn.next_free_sgpr, 0
s_mov_b32 s9, 0
.if .amdgcn.next_free_sgpr != 10
.error "ten SGPRs are used"
.endif
v_mov_b32 v3, v4
.byte .amdgcn.next_free_vgpr
;> gfx1030 V6
;> .text type 1 flags 0x6 align 4 size 9
;>   800389be 0403067e 05
;> .amdgcn.next_free_sgpr: absolute 0xa size 0 Local NoType Default
