; Two waves count in LDS how many have copied, and each reads what the other one's copy brings: the wait belongs before the atomic.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v2, 0x800
	v_mov_b32_e32 v3, 1
	v_xor_b32_e32 v4, 0x80, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.else
	s_wait_loadcnt 0x0
	.endif
	s_mov_b32 s10, exec_lo
	s_mov_b32 exec_lo, 1
	ds_add_u32 v2, v3                       ; <<< hint: s_wait_asynccnt 0
	s_mov_b32 exec_lo, s10
.Lpoll:
	ds_load_b32 v5, v2
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_lt_u32 s10, 2
	s_cbranch_scc1 .Lpoll
	ds_load_b32 v6, v4
	s_wait_dscnt 0x0
	global_store_b32 v1, v6, s[6:7]
	s_endpgm                                ; <<< error[R7] missing-wait
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
