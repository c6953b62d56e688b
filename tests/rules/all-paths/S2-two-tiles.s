; Two waves exchange two tiles: each stores its half of both and reads the other half of both. The barrier that is missing is
; one, for all that is stored and read.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_xor_b32_e32 v4, 0x100, v1
	ds_write_b32 v1, v0                     ; <<< other end
	ds_write_b32 v1, v0 offset:512          ; <<< other end
	s_waitcnt lgkmcnt(0)
	.if RIGHT
	s_barrier
	.endif
	ds_read_b32 v2, v4                      ; <<< error[S2] missing-sync
	ds_read_b32 v3, v4 offset:512           ; <<< error[S2] missing-sync
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v2, v3
	global_store_dword v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
