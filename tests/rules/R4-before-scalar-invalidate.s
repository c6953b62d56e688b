; A scalar load reads what the wave has stored: it has emptied the scalar cache in between, and must have waited for the store before
; that, not before the load.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.include "gfx1100.inc"
	global_store_b32 v1, v0, s[6:7]         ; <<< other end
	.if RIGHT
	s_waitcnt_vscnt null, 0x0
	.endif
	s_dcache_inv                            ; <<< hint: s_waitcnt_vscnt null, 0x0
	s_load_b32 s10, s[6:7], 0x0             ; <<< error[R4] missing-wait
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s10
	global_store_b32 v1, v2, s[6:7] offset:1024
	s_endpgm
	.include "end-gfx1100.inc"
