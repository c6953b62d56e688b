; A copy ahead, and the wait for it in the next round, behind one condition each: that the loop ends when the copies do is not
; known, and that another round waits for the copy is enough.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshlrev_b32_e32 v2, 4, v0
	v_mov_b32_e32 v8, 0
	s_mov_b32 s10, 0
	s_mov_b32 m0, 0
	s_nop 0
	global_load_lds_dwordx4 v2, s[4:5]      ; <<< 2 other end
.Lloop:
	s_add_u32 s11, s10, 1
	s_lshl_b32 m0, s11, 10
	s_cmp_lt_u32 s11, s9
	s_nop 0
	s_cbranch_scc0 .Lnone
	global_load_lds_dwordx4 v2, s[4:5]      ; <<< other end
.Lnone:
	s_cmp_lt_u32 s11, s9
	v_mov_b32_e32 v3, v2
	s_cbranch_scc0 .Llast
	s_waitcnt vmcnt(1)
	s_branch .Lread
.Llast:
	.if RIGHT
	s_waitcnt vmcnt(0)
	.else
	s_waitcnt vmcnt(1)
	.endif
.Lread:
	ds_read_b128 v[4:7], v3                 ; <<< 2 error[R4] missing-wait
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v8, v8, v4
	s_add_u32 s10, s10, 1
	s_cmp_lt_u32 s10, s9
	s_cbranch_scc1 .Lloop
	global_store_dword v1, v8, s[6:7]
	s_endpgm                                ; <<< error[R7] missing-wait
	.include "end-gfx950.inc"
