; launch: two-groups
; Workgroups add to one counter with a scope that does not reach from one to the other.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	.if RIGHT
	global_atomic_add_u32 v1, v0, s[6:7] scope:SCOPE_DEV
	.else
	global_atomic_add_u32 v1, v0, s[6:7]    ; <<< error[M2] wrong-scope
	.endif
	s_endpgm
	.include "end-gfx1250.inc"
