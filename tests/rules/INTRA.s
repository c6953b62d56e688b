; Two lanes of one store write different values to one place.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	v_mov_b32_e32 v3, 7
	.else
	v_mov_b32_e32 v3, v0
	.endif
	v_lshrrev_b32_e32 v2, 1, v0
	v_lshlrev_b32_e32 v2, 2, v2             ; lanes 2n and 2n+1 have the same address
	global_store_b32 v2, v3, s[6:7]         ; <<< warning[INTRA] missing-sync
	s_endpgm
	.include "end-gfx1250.inc"
