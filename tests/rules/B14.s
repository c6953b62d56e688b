; launch: cluster-of-two-waves
; Of each workgroup one wave arrives at the cluster barrier, not all.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_barrier_signal -1
	s_barrier_wait -1
	.if RIGHT
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lwait
	.endif
	s_barrier_signal -3                     ; <<< error[B14] barrier
.Lwait:
	s_barrier_wait -3
	s_endpgm
	.include "end-gfx1250.inc"
