; What a wave loads from LDS is overwritten by the other one. The first workgroups store nothing that may come of it.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	exchange
	ds_load_b32 v6, v8                      ; <<< other end
	s_wait_dscnt 0x0
	ds_store_b32 v1, v0                     ; <<< error[S2] missing-sync
	s_cmp_lt_u32 s9, 5
	s_cselect_b32 exec_lo, 0, -1
	global_store_b32 v7, v6, s[6:7]
	s_mov_b32 exec_lo, -1
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
