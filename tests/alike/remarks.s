; What is no error: waves give a named barrier its count, and overwrite an address before it is translated; in one workgroup they
; do so in another place, too.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	s_mov_b32 m0, (2 << 16) | 1
	s_barrier_join 1
	s_barrier_signal m0                     ; <<< warning[B1] barrier
	s_barrier_wait 1
	s_cmp_lg_u32 s9, 13
	s_cbranch_scc1 .Lcommon
	v_mov_b32_e32 v3, v7
	global_load_b32 v2, v3, s[4:5]          ; <<< other end
	v_mov_b32_e32 v3, 0                     ; <<< advice[R3] missing-wait
	s_wait_loadcnt 0x0
.Lcommon:
	v_mov_b32_e32 v4, v7
	global_load_b32 v2, v4, s[4:5]          ; <<< other end
	v_add_nc_u32_e32 v4, 0x80, v4           ; <<< advice[R3] missing-wait
	s_wait_loadcnt 0x0
	global_store_b32 v7, v2, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
