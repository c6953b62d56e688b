; launch: two-waves
; A racy value is what a compare-and-swap stores, not what it compares with.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	v_xor_b32_e32 v3, 0x80, v1
	ds_load_b32 v4, v3                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_mov_b32_e32 v5, 0
	global_atomic_cmpswap_b32 v1, v[4:5], s[6:7] scope:SCOPE_DEV
	s_endpgm
	.include "end-gfx1250.inc"
