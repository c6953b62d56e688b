; launch: one-wave
; A null descriptor moves nothing: nobody waits for that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	s_mov_b32 s12, 0                        ; no descriptor
	.else
	s_mov_b32 s12, 1
	.endif
	s_mov_b32 s13, 0
	s_mov_b32 s14, s4
	s_or_b32 s15, s5, 0x80000000
	s_mov_b32 s16, 0x20000
	s_mov_b32 s17, 32 << 16
	s_mov_b32 s18, 1 << 16
	s_mov_b32 s19, 32 << 16
	s_mov_b32 s20, 1
	s_mov_b32 s21, 32
	s_mov_b64 s[22:23], 0
	tensor_load_to_lds s[12:15], s[16:23]   ; <<< other end
	s_endpgm                                ; <<< error[R7] missing-wait <<< hint: s_wait_tensorcnt 0
	.include "end-gfx1250.inc"
