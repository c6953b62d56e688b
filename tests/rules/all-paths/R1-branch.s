; One way to the use of a loaded register waits for the load, the other does not.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	s_cmp_eq_u32 s8, 7
	s_cbranch_scc1 .Luse
	s_wait_loadcnt 0x0
.Luse:
	.if RIGHT
	s_wait_loadcnt 0x0
	.endif
	v_add_nc_u32_e32 v2, 1, v2              ; <<< error[R1] missing-wait <<< hint: s_wait_loadcnt 0
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
