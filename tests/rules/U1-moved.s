; launch: one-wave
; What was never written is moved into VCC, by which a branch decides.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 1
	.if RIGHT
	s_mov_b32 s21, 0
	.endif
	s_mov_b32 vcc_lo, s21                   ; <<< error[U1] uninitialized
	s_cbranch_vccnz .Lskip
	v_mov_b32_e32 v3, 2
.Lskip:
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
