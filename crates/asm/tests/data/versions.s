; target: gfx950
.globl f
f: s_nop 0
.symver f, f@VERS_1
.symver f2, f2@@V2
f2: s_nop 0
.symver f3, f3@@@V3
f3: s_nop 0
.symver ext, ext@V9
.long ext
.symver ext2, ext2@@@V9
.long ext2
.symver rem, rem@@V5, remove
rem: s_nop 0
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 24
;>   000080bf 000080bf 000080bf 00000000
;>   00000000 000080bf
;>   at 0xc: R_AMDGPU_ABS32 ext@V9 +0
;>   at 0x10: R_AMDGPU_ABS32 ext2@V9 +0
;> f2: .text 0x4 size 0 Local NoType Default
;> f2@@V2: .text 0x4 size 0 Local NoType Default
;> f3@@V3: .text 0x8 size 0 Local NoType Default
;> rem@@V5: .text 0x14 size 0 Local NoType Default
;> f: .text 0x0 size 0 Global NoType Default
;> f@VERS_1: .text 0x0 size 0 Global NoType Default
;> ext@V9: undefined 0x0 size 0 Global NoType Default
;> ext2@V9: undefined 0x0 size 0 Global NoType Default
