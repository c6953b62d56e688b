; The last workgroups load less: half of their lanes are off, or all of them. One of them skips the barrier.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	v_mov_b32_e32 v2, 0
	s_mov_b32 s11, -1
	s_cmp_lt_u32 s9, 16
	s_cselect_b32 s11, s11, 0xffff
	s_cmp_lt_u32 s9, 20
	s_cselect_b32 s11, s11, 0
	s_mov_b32 s12, exec_lo
	s_and_b32 exec_lo, exec_lo, s11
	global_load_b32 v2, v7, s[4:5]
	v_add_nc_u32_e32 v3, 1, v7
	s_mov_b32 exec_lo, s12
	s_wait_loadcnt 0x0
	ds_store_b32 v1, v2                     ; <<< other end
	s_wait_dscnt 0x0
	s_cmp_eq_u32 s9, 18
	s_cbranch_scc1 .Lskipped
	s_barrier_signal -1
	s_barrier_wait -1
.Lskipped:
	ds_load_b32 v6, v8                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	s_and_b32 exec_lo, exec_lo, s11
	global_store_b32 v7, v6, s[6:7]
	s_mov_b32 exec_lo, s12
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
