; Two lanes of one store write different values to overlapping places in LDS.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	v_lshlrev_b32_e32 v2, 3, v0
	.else
	v_lshlrev_b32_e32 v2, 2, v0
	.endif
	v_mov_b32_e32 v4, v0
	v_xor_b32_e32 v5, -1, v0
	ds_store_b64 v2, v[4:5]                 ; <<< warning[INTRA] missing-sync
	s_wait_dscnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
