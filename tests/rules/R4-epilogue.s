; launch: two-waves
; Three tiles are in flight, and what one wave has brought the other reads. The wait for the second tile is gone: it belongs before
; the barrier of that tile, not where the first one was waited for, which would wait for both.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	global_load_async_to_lds_b32 v1, v1, s[4:5]
	global_load_async_to_lds_b32 v1, v1, s[4:5] offset:0x100 ; <<< other end
	global_load_async_to_lds_b32 v1, v1, s[4:5] offset:0x200
	s_wait_asynccnt 0x2
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v3, v2
	.if RIGHT
	s_wait_asynccnt 0x1
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_asynccnt 1
	s_barrier_wait -1
	ds_load_b32 v4, v2 offset:0x100         ; <<< error[R4] missing-wait
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v5, v2 offset:0x200
	s_wait_dscnt 0x0
	v_add3_u32 v3, v3, v4, v5
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
