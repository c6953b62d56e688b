; Where VGPR indexing is on, a register that M0 says is read before the load into it is waited for. The load into the one
; that the instruction names is waited for, and its own destination is not moved.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	global_load_dword v13, v1, s[4:5]       ; <<< other end
	v_mov_b32_e32 v10, 7
	s_mov_b32 s9, 3
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	s_set_gpr_idx_on s9, gpr_idx(SRC0)
	v_mov_b32_e32 v3, v10                   ; <<< error[R1] missing-wait <<< hint: s_waitcnt vmcnt(0)
	s_set_gpr_idx_off
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
