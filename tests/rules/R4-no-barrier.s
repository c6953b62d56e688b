; launch: two-waves
; Each wave reads what both have copied: neither the wait for the own copy is there, nor the barrier behind which the other's is.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_lshlrev_b32_e32 v2, 1, v1
	v_and_b32_e32 v2, 0xfc, v2
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[R4] missing-wait <<< hint: s_wait_asynccnt 0 and a barrier
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
