; target: gfx950
.globl f
f: s_nop 0
g: s_nop 0
.addrsig
.addrsig_sym f
.addrsig_sym g
.addrsig_sym ext
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 8
;>   000080bf 000080bf
;> .llvm_addrsig type 1879002115 flags 0x80000000 align 1 size 2
;>   0201
;> g: .text 0x4 size 0 Local NoType Default
;> f: .text 0x0 size 0 Global NoType Default
