; launch: two-waves
; A ring of three slots, unrolled, whose stages all wait for too little. When a wave reads a slot, the one that has copied it may have waited
; at the next stage as well: three mistakes all the same, and each stage leaves as much in flight as the others do.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.macro copy slot
	global_load_async_to_lds_b32 v1, v1, s[4:5] offset:\slot
	global_load_async_to_lds_b32 v1, v1, s[4:5] offset:\slot + 256
	.endm
	.macro hand_on
	s_wait_dscnt 0x0
	s_wait_asynccnt 4 - 2 * RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	v_add_nc_u32_e32 v5, v3, v5
	v_add_nc_u32_e32 v5, v4, v5
	.endm
	.macro read slot
	ds_load_b32 v3, v1 offset:\slot
	ds_load_b32 v4, v2 offset:\slot + 256
	.endm
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	s_mov_b32 s12, 0
	copy 0                                  ; <<< other end
	copy 512                                ; <<< 2 other end
.Lround:
	hand_on                                 ; <<< wait <<< hint: s_wait_asynccnt 2
	copy 1024                               ; <<< 3 other end
	read 0                                  ; <<< error[R4] missing-wait
	hand_on                                 ; <<< 2 wait <<< 2 hint: s_wait_asynccnt 2
	copy 0                                  ; <<< other end
	read 512                                ; <<< 2 error[R4] missing-wait
	hand_on                                 ; <<< 3 wait <<< 3 hint: s_wait_asynccnt 2
	copy 512                                ; <<< 2 other end
	read 1024                               ; <<< 3 error[R4] missing-wait
	s_add_co_i32 s12, s12, 1
	s_cmp_lt_u32 s12, 4
	s_cbranch_scc1 .Lround
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v5, v3, v5
	v_add_nc_u32_e32 v5, v4, v5
	s_wait_asynccnt 0x0
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
