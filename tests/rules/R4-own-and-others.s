; launch: two-waves
; Both waves read what one of them has copied: the wait is missing before the barrier, where it is for both, though the wave that
; has copied would do with one behind it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v2, 0x7c, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_asynccnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v2                      ; <<< error[R4] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	.if RIGHT
	.else
	s_wait_asynccnt 0x0
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
