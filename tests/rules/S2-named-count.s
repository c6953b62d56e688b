; launch: two-waves
; Two waves meet at a named barrier that is initialised for one: neither waits for the other.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised
	.if RIGHT
	s_mov_b32 m0, (2 << 16) | 1
	.else
	s_mov_b32 m0, (1 << 16) | 1
	.endif
	s_barrier_init m0                       ; <<< hint: a count of 2
.Linitialised:
	s_barrier_signal -1
	s_barrier_wait -1
	s_barrier_join 1
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "two-waves-gfx1250.inc"
	.include "end-gfx1250.inc"
