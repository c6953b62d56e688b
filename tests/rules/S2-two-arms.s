; launch: two-waves
; Both waves store and wait, each on a path of its own: the barrier belongs behind neither wait, but before the load.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	ds_store_b32 v1, v0                     ; <<< other end
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc0 .Lfirst
	s_wait_dscnt 0x0
	s_branch .Lboth
.Lfirst:
	s_wait_dscnt 0x0
.Lboth:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync <<< hint: a barrier between the two accesses, before
	s_wait_dscnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "two-waves-gfx1250.inc"
	.include "end-gfx1250.inc"
