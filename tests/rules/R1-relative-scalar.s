; Of SGPRs that M0 says one is read before the load into it is waited for; the one that the instruction names is another.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 s10, 7
	s_load_b32 s13, s[4:5], 0x0             ; <<< other end
	s_mov_b32 m0, 3
	.if RIGHT
	s_wait_kmcnt 0x0
	.endif
	s_movrels_b32 s11, s10                  ; <<< error[R1] missing-wait <<< hint: s_wait_kmcnt 0
	v_mov_b32_e32 v3, s11
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
