; launch: one-wave-of-64
; A mask is undefined where lanes are on. Whether any lane is left is certain where those that were off are on in it for certain.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_cmp_gt_u32_e32 vcc, 48, v0
	s_and_saveexec_b64 s[14:15], vcc
	s_cmp_lt_i32 s20, 5                     ; <<< error[U1] uninitialized
	s_cselect_b64 s[16:17], -1, 0
	.if RIGHT
	s_orn2_b64 s[16:17], s[16:17], exec
	.endif
	s_mov_b64 exec, s[14:15]
	s_and_saveexec_b64 s[18:19], s[16:17]
	s_cbranch_execz .Lout
	s_cbranch_scc0 .Lout
	v_mov_b32_e32 v3, v0
.Lout:
	s_mov_b64 exec, s[18:19]
	global_store_dword v1, v0, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
