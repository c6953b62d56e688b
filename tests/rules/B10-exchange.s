; launch: two-waves
; The waves exchange values over a barrier that they have not joined, so that nobody waits there: that they arrive twice and race is
; no mistake of its own.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	init_barrier 2
	.if RIGHT
	s_barrier_join 1
	.endif
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal 1                 ; <<< hint: a join of named barrier 1 before
	s_barrier_wait 1                        ; <<< error[B10] barrier
	ds_load_b32 v3, v2
	s_wait_dscnt 0x0
	s_barrier_signal 1
	s_barrier_wait 1
	ds_store_b32 v1, v3
	s_wait_dscnt 0x0
	ds_load_b32 v4, v1
	s_wait_dscnt 0x0
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
