; without launch
; An invalidate behind a load is not what a wait for all but one may leave in flight.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	global_load_b32 v3, v1, s[4:5]          ; <<< other end
	buffer_gl0_inv
	.if RIGHT
	s_waitcnt vmcnt(0)
	.else
	s_waitcnt vmcnt(1)
	.endif
	v_add_nc_u32_e32 v3, v3, v0             ; <<< error[R1] missing-wait
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1100.inc"
