; launch: two-waves
; What a wave reads too early reaches its store by way of other lanes: it is of use all the same.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v5, 0
	s_mov_b32 s12, 0x76543210
	s_mov_b32 s13, 0xfedcba98
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	v_xor_b32_e32 v2, 0x80, v1
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	ds_bpermute_b32 v4, v5, v3
	s_wait_dscnt 0x0
	ds_swizzle_b32 v4, v4 offset:swizzle(SWAP,1)
	s_wait_dscnt 0x0
	v_permlane16_b32 v4, v4, s12, s13
	global_store_b32 v1, v4, s[6:7]         ; <<< other end
	s_endpgm
	.include "end-gfx1250.inc"
