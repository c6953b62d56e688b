; Two buffers: what is in flight at the barrier is read from one while the other is written, or from the same.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_lshlrev_b32_e32 v2, 2, v0
	v_mov_b32_e32 v3, 1.0
	ds_write_b32 v2, v3
	ds_write_b32 v2, v3 offset:512
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v2                                  ; <<< other end
	s_barrier                                           ; <<< hint: s_waitcnt lgkmcnt(0)
	.if RIGHT
	ds_write_b32 v2, v3 offset:512
	.else
	v_xor_b32_e32 v5, 0x1fc, v2
	ds_write_b32 v5, v3                                 ; <<< error[S1] missing-wait
	.endif
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
