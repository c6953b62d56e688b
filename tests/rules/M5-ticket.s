; launch: two-groups
; A ticket lock: who sees that it is served reads what the lock guards, word by word, writes all of it, and passes the lock on
; by a store over what it has seen. That store comes behind the one before it, however many words were read in between; of
; what the lock guards the wait tells, once for all words.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v5, v3, v4, s[6:7] glc
.Llook:
	global_load_b32 v6, v3, s[6:7] offset:128 glc
	s_waitcnt vmcnt(0)
	buffer_gl1_inv
	buffer_gl0_inv
	v_cmp_eq_u32_e32 vcc_lo, v6, v5
	s_cbranch_vccz .Llook
	v_add_nc_u32_e32 v6, 1, v5
	.irp at, 512, 768, 1024, 1280
	global_load_b32 v8, v3, s[6:7] offset:\at
	s_waitcnt vmcnt(0)
	global_store_b32 v3, v8, s[6:7] offset:\at
	.endr
	global_load_b32 v7, v3, s[6:7] offset:256 ; <<< error[M5] missing-wait
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v7, v7, v4
	global_store_b32 v3, v7, s[6:7] offset:256 ; <<< other end
	.if RIGHT
	s_waitcnt_vscnt null, 0x0
	.endif
	global_store_b32 v3, v6, s[6:7] offset:128
	s_endpgm
	.include "end-gfx1100.inc"
