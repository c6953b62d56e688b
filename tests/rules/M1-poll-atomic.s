; launch: two-waves
; A wave asks with atomics that change nothing, adding 0 and swapping in what they compare with, until another has stored. That
; is a poll as much as with loads; it is none where the value is used.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0x800
	v_mov_b32_e32 v5, 1
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lpoll
	s_movk_i32 s10, 100
.Lslow:
	ds_store_b32 v1, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v3, v5, s[6:7] offset:128 scope:SCOPE_DEV
	global_store_b32 v3, v5, s[6:7]         ; <<< error[M1] missing-sync
	global_store_b32 v3, v5, s[6:7] offset:64
	s_endpgm
.Lpoll:
	s_mov_b32 exec_lo, 1
	; Atomics do not race, whatever becomes of the value.
	global_atomic_add_u32 v8, v3, v6, s[6:7] offset:128 th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	s_wait_loadcnt 0x0
.Lagain:
	global_atomic_add_u32 v4, v3, v6, s[6:7] th:TH_ATOMIC_RETURN scope:SCOPE_DEV ; <<< other end
	s_wait_loadcnt 0x0
	.if RIGHT
	v_readfirstlane_b32 s10, v4
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lagain
.Lcompare:
	global_atomic_cmpswap_b32 v4, v3, v[6:7], s[6:7] offset:64 th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s10, v4
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lcompare
	.else
	v_mov_b32_e32 v5, v4
	.endif
	v_add_nc_u32_e32 v5, v5, v8
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
