; launch: one-wave
; A lane mask is made from a register that holds nothing yet: what it holds is masked away by EXEC, or not.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_cmp_gt_u32_e32 vcc_lo, 16, v0
	v_mov_b32_e32 v5, 7
	v_mov_b32_e32 v6, v5
	v_add_nc_u32_e32 v7, v9, v5
	.ifeq RIGHT
	s_mov_b32 exec_lo, 0xffff
	.endif
	s_and_not1_b32 s10, s12, exec_lo        ; <<< error[U1] uninitialized
	s_and_b32 s11, vcc_lo, exec_lo
	s_or_b32 s10, s10, s11
	s_mov_b32 exec_lo, -1
	v_cndmask_b32_e64 v6, v5, 9, s10
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
