; Two waves store to LDS, and behind a barrier one of them copies from there what both have stored. A wait before the copy would
; do for its own store alone.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_lshlrev_b32_e32 v2, 3, v0
	ds_store_b32 v1, v0                                 ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                                 ; <<< hint: s_wait_dscnt 0 before
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ldone
	global_store_async_from_lds_b64 v2, v2, s[6:7]      ; <<< error[S1] missing-wait
	s_wait_asynccnt 0x0
.Ldone:
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
