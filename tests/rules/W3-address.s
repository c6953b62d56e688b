; launch: two-groups
; A wait for the first of two loads, whose address register is overwritten behind it: it sees to that where no wait for the
; translation does.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	s_mul_i32 s10, s9, 0x100
	v_add_nc_u32_e32 v1, s10, v1            ; workgroups keep apart
	v_mov_b32_e32 v4, v1
	global_load_b32 v2, v4, s[4:5]
	.ifeq RIGHT
	s_wait_loadcnt 0x0                      ; <<< advice[W3] redundant
	s_wait_xcnt 0x0
	.else
	s_wait_loadcnt 0x0
	.endif
	v_add_nc_u32_e32 v4, 0x80, v4
	global_load_b32 v3, v4, s[4:5]
	s_wait_loadcnt 0x0                      ; <<< other end
	v_add_nc_u32_e32 v2, v2, v3
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
