; Transposing loads none of whose lanes is in LDS: they are counted as others are, so that the wait for the load before
; them is enough.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32 v4, 0
	v_mov_b32 v5, 0
	v_mov_b32 v6, 0
	v_mov_b32 v7, 0
	v_lshlrev_b32 v8, 4, v0
	ds_store_b128 v8, v[4:7]
	s_wait_dscnt 0x0
	ds_load_b32 v2, v8
	.if RIGHT
	ds_load_tr16_b128 v[4:7], v8
	.else
	ds_load_tr16_b128 v[4:7], v8 offset:32768 ; <<< error[O1] out-of-bounds
	.endif
	s_wait_dscnt 0x1
	global_store_b32 v1, v2, s[6:7]
	s_wait_dscnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
