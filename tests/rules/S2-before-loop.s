; launch: two-waves
; What is copied in front of a loop is read by another wave within it: the barrier belongs behind the wait in front of the loop, not
; behind the one in it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v5, 0x80, v1
	v_mov_b32_e32 v6, 0
	s_mov_b32 s10, 2
	global_load_async_to_lds_b32 v1, v1, s[4:5]   ; <<< other end
	global_load_b32 v4, v1, s[4:5]
	s_wait_asynccnt 0x0                     ; <<< hint: a barrier between the two accesses, behind
	.if RIGHT
	s_barrier_signal -1
	s_barrier_wait -1
	.endif
.Lround:
	s_wait_loadcnt 0x0
	ds_load_b32 v3, v5                      ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v6, v6, v3
	global_load_b32 v4, v1, s[4:5] offset:256
	s_sub_co_i32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lround
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v6, v6, v4
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
