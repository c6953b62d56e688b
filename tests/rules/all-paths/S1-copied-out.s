; Two waves store to LDS, each its half, and copy the other half from there behind a barrier. The wait that stands behind the
; barrier is too late for the other wave.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0                                 ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                                 ; <<< hint: s_wait_dscnt 0 before
	s_barrier_wait -1
	.if RIGHT
	.else
	s_wait_dscnt 0x0
	.endif
	global_store_async_from_lds_b32 v2, v2, s[6:7]      ; <<< error[S1] missing-wait
	s_wait_asynccnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
