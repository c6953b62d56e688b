; Where one wait is missing, all that it would have seen to on a straight line is one mistake, and the wait is strong enough for
; all of it. What the next wait for the counter sees to is another matter.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	ds_read_b32 v2, v1                      ; <<< other end
	ds_read_b32 v3, v1 offset:256           ; <<< other end
	ds_read_b32 v4, v1 offset:512           ; <<< other end
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.endif
	v_add_u32_e32 v5, v1, v2                ; <<< error[R1] missing-wait <<< hint: s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v5, v5, v3                ; <<< error[R1] missing-wait
	v_add_u32_e32 v5, v5, v4                ; <<< error[R1] missing-wait
	.if RIGHT
	.else
	s_waitcnt lgkmcnt(0)
	.endif
	ds_read_b32 v2, v1                      ; <<< 2 other end
	ds_read_b32 v3, v1 offset:256
	.if RIGHT
	s_waitcnt lgkmcnt(1)
	.endif
	v_add_u32_e32 v5, v5, v2                ; <<< 2 error[R1] missing-wait <<< 2 hint: s_waitcnt lgkmcnt(1)
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v5, v5, v3
	global_store_dword v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
