; launch: one-wave-of-64
; One wait is for what two paths have loaded. It leaves one load in flight, which is the last but one register's on one path and the
; last one's on the other: the wait is missing once, before the first of the two uses.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	ds_write_b32 v1, v0
	ds_write_b32 v1, v0 offset:256
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mov_b32_e32 v6, 0
	s_mov_b32 s11, 0
.Lround:
	s_bitcmp1_b32 s11, 0
	s_cbranch_scc1 .Lodd
	ds_read_b32 v2, v1
	ds_read_b32 v4, v1
	ds_read_b32 v5, v1 offset:256           ; <<< other end
	s_branch .Luse
.Lodd:
	ds_read_b32 v2, v1
	ds_read2_b32 v[4:5], v1 offset1:64      ; <<< other end
.Luse:
	.if RIGHT
	s_waitcnt lgkmcnt(0)
	.else
	s_waitcnt lgkmcnt(1)                    ; <<< wait
	.endif
	v_add_u32_e32 v6, v6, v2
	v_add_u32_e32 v6, v6, v4                ; <<< error[R1] missing-wait <<< hint: s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v6, v6, v5
	s_add_u32 s11, s11, 1
	s_cmp_lt_u32 s11, 4
	s_cbranch_scc1 .Lround
	global_store_dword v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
