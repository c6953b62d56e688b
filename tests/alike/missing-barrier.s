; One workgroup skips the barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	ds_store_b32 v1, v0                     ; <<< other end
	s_wait_dscnt 0x0
	s_cmp_eq_u32 s9, 17
	s_cbranch_scc1 .Lskipped
	s_barrier_signal -1
	s_barrier_wait -1
.Lskipped:
	ds_load_b32 v6, v8                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
