; Waves take slots of a list with an atomic and store there; the count of the next round is set back behind the barrier at
; which the list is still being read: elsewhere, as the addresses say, though the waves have learnt of each other by the atomic.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 1
	s_mov_b32 s12, 2
.Lround:
	ds_write_b32 v2, v2 offset:512          ; <<< error[S1] missing-wait
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_add_rtn_u32 v6, v2, v3 offset:512
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v6, 2, v6
	ds_write_b32 v6, v0 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v7, v2 offset:512           ; <<< other end
	ds_read_b32 v8, v1 offset:1024
	.if RIGHT
	s_waitcnt lgkmcnt(1)
	.endif
	s_barrier                               ; <<< hint: s_waitcnt lgkmcnt(1) before
	s_sub_u32 s12, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lround
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v8, v7, v8
	global_store_dword v1, v8, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
