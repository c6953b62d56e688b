; Each half of a dword is stored by an instruction of its own; one workgroup loads what it has stored, which is no
; mistake, and another one what its other wave has stored.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "two-waves.inc"
	global_store_b16 v7, v0, s[6:7]         ; <<< other end
	global_store_b16 v7, v0, s[6:7] offset:2
	s_cmp_eq_u32 s9, 5
	s_cbranch_scc1 .Lown
	s_cmp_eq_u32 s9, 13
	s_cbranch_scc0 .Ldone
	v_xor_b32_e32 v7, 0x80, v7
.Lown:
	s_wait_storecnt 0x0
	global_load_u16 v6, v7, s[6:7]          ; <<< error[M1] missing-sync
	s_wait_loadcnt 0x0
	global_store_b32 v7, v6, s[4:5]
.Ldone:
	s_wait_storecnt 0x0
	s_endpgm
	.include "end-gfx1250.inc"
