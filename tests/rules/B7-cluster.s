; launch: cluster-of-two-waves
; One wave of each workgroup arrives at the cluster's barrier, and none waits for it: whichever wave ends last.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	s_barrier_signal -3                     ; <<< other end
.Lother:
	.if RIGHT
	s_barrier_wait -3
	.endif
	s_endpgm                                ; <<< warning[B7] barrier <<< hint: a wait for the barrier before
	.include "end-gfx1250.inc"
