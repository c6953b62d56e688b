; launch: two-waves
; seed: 0
; Wave 0 copies to two slots, wave 1 reads them; named barriers say that a slot is full (1, 2) and that there is room (3, 4). That for room
; in the second slot is missing before the copy of the next round.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.macro meet barrier
	s_barrier_join \barrier
	s_barrier_signal \barrier
	s_barrier_wait \barrier
	.endm
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised
	.irp barrier, 1, 2, 3, 4
	s_mov_b32 m0, (2 << 16) | \barrier
	s_barrier_init m0
	.endr
.Linitialised:
	s_barrier_signal -1
	s_barrier_wait -1
	v_lshlrev_b32_e32 v4, 2, v0
	v_and_b32_e32 v4, 0x7c, v4
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lreader
	global_load_async_to_lds_b32 v4, v1, s[4:5]
	global_load_async_to_lds_b32 v4, v1, s[4:5] offset:128
	s_wait_asynccnt 0x1
	s_barrier_signal 1
	meet 3
	global_load_async_to_lds_b32 v4, v1, s[4:5]
	s_wait_asynccnt 0x1
	s_barrier_signal 2
	.if RIGHT
	meet 4
	.endif
	global_load_async_to_lds_b32 v4, v1, s[4:5] offset:128 ; <<< other end
	s_wait_asynccnt 0x0
	s_endpgm
.Lreader:
	meet 1
	ds_load_b32 v5, v4
	s_wait_dscnt 0x0
	meet 3
	meet 2
	s_movk_i32 s10, 200
.Lslow:
	s_sub_co_i32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	ds_load_b32 v6, v4 offset:128           ; <<< error[S2] missing-sync <<< hint: one buffer more, or the copy behind the read, its wait and a barrier
	s_wait_dscnt 0x0
	.if RIGHT
	meet 4
	.endif
	v_add_nc_u32_e32 v5, v5, v6
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
