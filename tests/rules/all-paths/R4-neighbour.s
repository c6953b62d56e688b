; Two waves copy a slice each and read each other's. Whether anything has come to LDS is not all that can be asked: the
; wave's own copy goes elsewhere, that of the other one is in flight where it reads.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_readfirstlane_b32 s10, v0
	v_xor_b32_e32 v5, 0x100, v1             ; a byte of the other half
	s_lshl_b32 s10, s10, 2                  ; where the wave's half begins
	s_mov_b32 m0, s10
	s_nop 0
	global_load_lds_dword v1, s[4:5]        ; <<< other end
	global_load_lds_dword v1, s[4:5] offset:512
	.if RIGHT
	s_waitcnt vmcnt(1)
	.endif
	s_barrier                               ; <<< hint: s_waitcnt vmcnt(1)
	ds_read_b32 v7, v5                      ; <<< error[R4] missing-wait
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v5 offset:512
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v7, v7, v8
	global_store_dword v1, v7, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
	.include "two-waves-gfx950.inc"
