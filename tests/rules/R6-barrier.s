; launch: two-waves
; Each wave waits before the barrier, but not for the counter of its copy: another one reads that.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.else
	s_wait_loadcnt 0x0                      ; <<< wait
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_asynccnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v2                      ; <<< error[R6] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
