; What a round reads is added up in the next one, or behind the loop, and overwritten by the next round's stores. One wait at
; the end of the round serves all.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v4, 0
	s_mov_b32 s10, 0
.Lround:
	s_barrier
	ds_store_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_nc_u32_e32 v4, v2, v4
	ds_load_b32 v2, v1 offset:4             ; <<< other end
	s_add_i32 s10, s10, 1
	s_cmp_lt_u32 s10, 6
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.endif
	s_cbranch_scc1 .Lround                  ; <<< hint: s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v4, v2, v4             ; <<< error[R1] missing-wait
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1100.inc"
