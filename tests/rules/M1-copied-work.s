; launch: two-waves
; Both waves load the same, and the first one overwrites it. In the twin the second one drops what it has read, as copies of work
; that a compiler makes do.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v1, 0x7f, v1
	global_load_b32 v2, v1, s[4:5]          ; <<< other end
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v2, 1, v2
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lcopy
	global_store_b32 v1, v2, s[4:5]         ; <<< error[M1] missing-sync
	s_endpgm
.Lcopy:
	.ifeq RIGHT
	global_store_b32 v1, v2, s[6:7]
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
