	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	s_nop 0
	s_nopp 1
	v_mov_b32 v0
