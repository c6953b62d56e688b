; launch: two-groups
; Two workgroups store a tile to the same place by tensor DMA, rows of 34 bytes. What they store is the same in the twin, as
; where a block of work is copied to several workgroups; that is harmless.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mov_b32 s12, 1                        ; D#: one transfer,
	s_mov_b32 s13, 0                        ; LDS 0,
	s_mov_b32 s14, s6                       ; dst,
	s_or_b32 s15, s7, 0x80000000
	s_mov_b32 s16, 0x10000                  ; of 2-byte elements,
	s_mov_b32 s17, 17 << 16                 ; 3 rows of 17
	s_mov_b32 s18, 3 << 16
	s_mov_b32 s19, 17 << 16
	s_mov_b32 s20, 3
	s_mov_b32 s21, 17
	s_mov_b64 s[22:23], 0
	.if !RIGHT
	v_add_nc_u32_e32 v0, s9, v0
	.endif
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	tensor_store_from_lds s[12:15], s[16:23] ; <<< error[M1] missing-sync
	s_wait_tensorcnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
