; launch: one-wave
; A wait that leaves as many tensor operations in flight as there may be when another is issued is for room, and stays.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 s12, 1
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
	tensor_load_to_lds s[12:15], s[16:23]
	s_mov_b32 s13, 0x400
	.if RIGHT
	s_wait_tensorcnt 0xa
	.else
	s_wait_tensorcnt 0xb                    ; <<< advice[W1] redundant
	.endif
	tensor_load_to_lds s[12:15], s[16:23]
	s_wait_tensorcnt 0x0
	ds_load_b32 v3, v1
	ds_load_b32 v4, v1 offset:1024
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v3, v3, v4
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
