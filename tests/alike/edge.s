; The last workgroups do less: half of their lanes are off.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.include "exchange.inc"
	s_lshl_b32 s10, s9, 8
	v_add_nc_u32_e32 v7, s10, v1            ; the work-item's place in src and dst
	v_xor_b32_e32 v8, 0x80, v1              ; the place in LDS of a work-item of the other wave
	s_cmp_lt_u32 s9, 20
	s_cbranch_scc1 .Lwhole
	s_mov_b32 exec_lo, 0xffff
.Lwhole:
	exchange
	global_store_b32 v7, v6, s[6:7]
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
