; model: tensor-order=any
; A tensor load goes where a tensor store of the same wave may still read.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 s12, 1                        ; D# of the store: one transfer,
	s_mov_b32 s13, 0                        ; LDS 0,
	s_mov_b32 s14, s6                       ; dst,
	s_or_b32 s15, s7, 0x80000000
	s_mov_b32 s16, 0x20000                  ; of 4-byte elements,
	s_mov_b32 s17, 32 << 16                 ; 32 of them
	s_mov_b32 s18, 1 << 16
	s_mov_b32 s19, 32 << 16
	s_mov_b32 s20, 1
	s_mov_b32 s21, 32
	s_mov_b64 s[22:23], 0
	s_mov_b64 s[24:25], s[12:13]            ; D# of the load: from src
	s_mov_b32 s26, s4
	s_or_b32 s27, s5, 0x80000000
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	tensor_store_from_lds s[12:15], s[16:23] ; <<< other end
	.if RIGHT
	s_wait_tensorcnt 0x0
	.endif
	tensor_load_to_lds s[24:27], s[16:23]   ; <<< error[R4] missing-wait <<< hint: s_wait_tensorcnt 0
	s_wait_tensorcnt 0x0
	ds_load_b32 v2, v1
	s_wait_dscnt 0x0
	global_store_b32 v1, v2, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1250.inc"
