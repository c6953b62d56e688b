; Waves arrive at a barrier cell in LDS after their loads, and poll for its phase.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_mov_b32_e32 v10, 0x400
	v_mov_b64_e32 v[12:13], 1               ; arrivals that are pending, but for one
	v_mov_b64_e32 v[16:17], 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised
	s_mov_b32 exec_lo, 1
	ds_store_b64 v10, v[12:13]
	s_mov_b32 exec_lo, -1
.Linitialised:
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	global_load_b32 v2, v7, s[4:5]
	s_wait_loadcnt 0x0
	ds_store_b32 v1, v2
	s_wait_dscnt 0x0
	s_mov_b32 exec_lo, 1
	ds_atomic_barrier_arrive_rtn_b64 v[14:15], v10, v[16:17]
	s_mov_b32 exec_lo, -1
.Lpoll:
	s_sleep 1
	ds_load_b32 v3, v10
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v3
	s_bitcmp1_b32 s10, 31
	s_cbranch_scc0 .Lpoll
	ds_load_b32 v6, v8
	s_wait_dscnt 0x0
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
