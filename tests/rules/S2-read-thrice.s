; launch: three-waves
; Wave 0 reads a word three times and sums up what it reads; wave 1 writes over it, behind a barrier with wave 2 alone, which has
; met wave 0 before it read. The value of the last of the reads is of use as that of the first.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v20, 0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised
	ds_store_b64 v20, v[8:9]
	ds_store_b8 v20, v8 offset:2           ; a block of several writers is looked at load by load
	s_mov_b32 m0, (2 << 16) | 1
	s_barrier_init m0
	s_mov_b32 m0, (2 << 16) | 2
	s_barrier_init m0
	s_mov_b32 m0, (2 << 16) | 3
	s_barrier_init m0
	s_wait_dscnt 0x0
.Linitialised:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc1 .Lwriter
	s_cmp_eq_u32 s8, 2
	s_cbranch_scc1 .Lbetween
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	s_movk_i32 s10, 0x3
.Lread:
	ds_load_b32 v7, v20                     ; <<< other end
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v8, v7, v8
	s_sub_co_i32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lread
	s_barrier_join 3
	s_barrier_signal 3
	s_barrier_wait 1
	s_branch .Lsum
.Lbetween:
	s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	s_movk_i32 s10, 0x28
.Llater:
	ds_store_b32 v20, v8 offset:64
	s_wait_dscnt 0x0
	s_sub_co_i32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Llater
	s_barrier_join 2
	s_barrier_signal 2
	s_barrier_wait 1
	s_branch .Lsum
.Lwriter:
	s_barrier_join 2
	s_barrier_signal 2
	s_barrier_wait 1
	.if RIGHT
	s_barrier_join 3
	s_barrier_signal 3
	s_barrier_wait 1
	.endif
	v_mov_b32_e32 v9, 7
	ds_store_b32 v20, v9                    ; <<< error[S2] missing-sync
	s_wait_dscnt 0x0
	.if !RIGHT
	s_barrier_join 3
	s_barrier_signal 3
	s_barrier_wait 1
	.endif
.Lsum:
	global_store_b32 v1, v8, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
