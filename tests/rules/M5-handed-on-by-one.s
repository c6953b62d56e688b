; launch: two-groups-of-two-waves
; The waves of a workgroup copy a tile to global memory, one of them tells the other workgroup, and who is last reads it all: a
; wave waits for its copy before the barrier behind which that one tells. The wait behind it is for something else.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_lshl_b32 s28, s9, 8
	s_lshl_b32 s29, s8, 7
	s_add_co_i32 s28, s28, s29
	s_mov_b32 s12, 1
	s_mov_b32 s13, s29
	s_add_co_u32 s14, s6, s28
	s_add_co_ci_u32 s15, s7, 0
	s_bitset1_b32 s15, 31
	s_mov_b32 s16, 0x20000
	s_mov_b32 s17, 32 << 16
	s_mov_b32 s18, 1 << 16
	s_mov_b32 s19, 32 << 16
	s_mov_b32 s20, 1
	s_mov_b32 s21, 32
	s_mov_b64 s[22:23], 0
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	tensor_store_from_lds s[12:15], s[16:23] ; <<< other end
	.if RIGHT
	s_wait_tensorcnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_tensorcnt 0
	s_barrier_wait -1
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 1
	s_mov_b32 s30, exec_lo
	v_cmpx_eq_u32_e32 0, v0
	s_cbranch_execz .Lskip
	global_wb scope:SCOPE_DEV
	s_wait_storecnt 0x0
	global_atomic_add_u32 v10, v8, v9, s[6:7] offset:3072 th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	global_inv scope:SCOPE_DEV
	s_wait_loadcnt 0x0
	ds_store_b32 v8, v10 offset:1024
.Lskip:
	s_mov_b32 exec_lo, s30
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v11, v8 offset:1024
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s31, v11
	s_cmp_lg_u32 s31, 1
	s_cbranch_scc1 .Lnot
	v_xor_b32_e32 v6, 0x80, v1
	global_load_b32 v12, v6, s[6:7]         ; <<< error[M5] missing-wait
	global_load_b32 v13, v6, s[6:7] offset:256
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v12, v12, v13
	global_store_b32 v1, v12, s[6:7] offset:2048
.Lnot:
	.if !RIGHT
	s_wait_tensorcnt 0x0
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
