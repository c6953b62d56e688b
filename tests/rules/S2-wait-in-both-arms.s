; launch: two-groups-of-two-waves
; A wave waits for its copy on either of two paths, with as many in flight as there are on each. The barrier that is missing belongs where the
; paths have come together, and not behind the wait on one of them.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	s_cmp_eq_u32 s9, 1
	s_cbranch_scc1 .Llast
	global_load_async_to_lds_b32 v1, v1, s[4:5] offset:256
	s_wait_asynccnt 0x1
	s_branch .Ltogether
.Llast:
	s_wait_asynccnt 0x0
.Ltogether:
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2                      ; <<< error[S2] missing-sync <<< hint: a barrier between the two accesses, before
	s_wait_dscnt 0x0
	s_wait_asynccnt 0x0
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
