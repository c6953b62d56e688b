; Two waves store to LDS, each its half, and copy the other half from there: the barrier that is missing stands behind the wait
; for the stores, and not behind that for the copies, where there is one.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1
	s_mov_b32 s12, 3
.Lround:
	v_add_nc_u32_e32 v3, s12, v0
	ds_store_b32 v1, v3                                 ; <<< other end
	s_wait_dscnt 0x0                                    ; <<< hint: a barrier between the two accesses, behind
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
	global_store_async_from_lds_b32 v2, v2, s[6:7]      ; <<< error[S2] missing-sync
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_sub_co_u32 s12, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lround
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
