; A split barrier is not waited for: that the wave arrives there again, and that it reads what the other one may not have stored, is
; one mistake.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v2, 0x80, v1              ; the other wave's
	s_mov_b32 s10, 0
.Lround:
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1                     ; <<< error[B12] barrier
	.if RIGHT
	s_barrier_wait -1
	.endif
	ds_load_b32 v3, v2
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v0, v0, v3
	s_barrier_signal -1                     ; <<< error[B12] barrier
	s_barrier_wait -1
	s_add_co_i32 s10, s10, 1
	s_cmp_lt_u32 s10, 3
	s_cbranch_scc1 .Lround
	global_store_b32 v1, v0, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
	.include "two-waves-gfx1250.inc"
