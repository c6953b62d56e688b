; target: gfx950
; GNU's LOCAL, which LLVM does not have.
.altmacro
.macro wait x
LOCAL again, done
again: s_nop x
s_branch again
done: .long done
.endm
wait 1
wait 2
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 24
;>   010080bf feff82bf 00000000 020080bf
;>   feff82bf 00000000
;>   at 0x8: R_AMDGPU_ABS32 .text +8
;>   at 0x14: R_AMDGPU_ABS32 .text +20
