; launch: two-waves
; A FLAT store to LDS is there for others once LDS has counted it down; that memory has done so says nothing.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	s_mov_b64 s[10:11], src_shared_base
	v_mov_b32_e32 v4, v1
	v_mov_b32_e32 v5, s11
	flat_store_b32 v[4:5], v0               ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.else
	s_wait_storecnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v2                      ; <<< error[S1] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
