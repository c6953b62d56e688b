; launch: two-groups
; What a workgroup has loaded goes through scratch memory before it is stored, or something else does. The other one stores
; over it when it is gone.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.set SCRATCH, 16
	s_cmp_eq_u32 ttmp9, 0
	s_cbranch_scc0 .Lother
	global_load_b32 v4, v1, s[6:7]          ; <<< other end
	v_mov_b32_e32 v5, 1
	s_wait_loadcnt 0x0
	.if RIGHT
	scratch_store_b32 off, v5, off
	.else
	scratch_store_b32 off, v4, off
	.endif
	s_wait_storecnt 0x0
	scratch_load_b32 v6, off, off
	s_wait_loadcnt 0x0
	global_store_b32 v1, v6, s[6:7] offset:1024 ; <<< other end
	s_endpgm
.Lother:
	s_movk_i32 s10, 600
.Lslow:
	ds_store_b32 v1, v0
	s_add_co_i32 s10, s10, -1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 .Lslow
	global_store_b32 v1, v0, s[6:7]         ; <<< error[M1] missing-sync
	s_endpgm
	.include "end-gfx1250.inc"
