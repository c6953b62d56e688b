; target: gfx950
; corpus idioms of hand-written kernels
.set vgprBase, 10
.set sgprA, 4
.macro PRIO_HIGH
  s_setprio 3
.endm
.macro V_MAGIC_DIV dst, dividend, magic=7, shift=1
  v_mul_hi_u32 v[\dst+1], v[\dividend], \magic
  v_lshlrev_b32 v[\dst], \shift, v[\dst+1]
.endm
.macro static_mac a b c
   v_mov_b32 v[\a], v[\b]
   .if (\c == 1)
     s_nop \c
   .elseif (\c == 2) && 1
     s_nop 2
   .else
     s_nop 3
   .endif
.endm
PRIO_HIGH
V_MAGIC_DIV vgprBase+1, 5
V_MAGIC_DIV 1, 5, s[sgprA], shift=3
static_mac 1 2 1
static_mac 3, 4, 2
static_mac 5 6 7
.macro mload base:req, n=0
.set _i, 0
.rept \n
s_mov_b32 s[sgprA+_i], \base+_i
.set _i, _i+1
.endr
.endm
mload 16, 3
.macro .dotted x
s_nop \x
.endm
.dotted 1
.ifndef FOO
FOO=3
.endif
s_nop FOO
.if .amdgcn.gfx_generation_number == 9
s_nop 9
.endif
.ifc a,a
s_nop 1
.endif
.ifnc "a b", a b
s_nop 2
.endif
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 84
;>   03008fbf 0c0086d2 050f0100 81181624
;>   020086d2 05090000 83040224 0203027e
;>   010080bf 0403067e 020080bf 06030a7e
;>   030080bf 900084be 910085be 920086be
;>   010080bf 030080bf 090080bf 010080bf
;>   020080bf
;> vgprBase: absolute 0xa size 0 Local NoType Default
;> sgprA: absolute 0x4 size 0 Local NoType Default
;> _i: absolute 0x3 size 0 Local NoType Default
;> FOO: absolute 0x3 size 0 Local NoType Default
