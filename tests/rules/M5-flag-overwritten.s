; launch: two-waves
; A wave waits for a flag in global memory and writes over it: that comes behind what it has seen there, whether or not the store of the flag
; is over. What the flag tells of has to be over before it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	v_mov_b32_e32 v5, 2
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lreader
	global_store_b32 v1, v0, s[6:7] offset:512 ; <<< other end
	.if RIGHT
	s_wait_storecnt 0x0
	.endif
	global_store_b32 v3, v4, s[6:7] offset:1024 ; <<< hint: s_wait_storecnt 0 before
	s_endpgm
.Lreader:
	global_load_b32 v6, v3, s[6:7] offset:1024
	s_wait_loadcnt 0x0
	v_cmp_ne_u32_e32 vcc_lo, 1, v6
	s_cbranch_vccnz .Lreader
	v_and_b32_e32 v2, 0x7c, v1
	global_load_b32 v6, v2, s[6:7] offset:512 ; <<< error[M5] missing-wait
	global_store_b32 v3, v5, s[6:7] offset:1024
	s_wait_loadcnt 0x0
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
