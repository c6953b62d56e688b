; model: lds-dma-order=any
; launch: one-wave-of-64
; Two copies to LDS are in flight and a wait leaves one: it may be the first.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	s_mov_b32 m0, 0
	s_nop 0
	global_load_lds_dword v1, s[4:5]        ; <<< other end
	s_movk_i32 m0, 0x400
	s_nop 0
	global_load_lds_dword v1, s[4:5] offset:1024
	.if RIGHT
	s_waitcnt vmcnt(0)
	.else
	s_waitcnt vmcnt(1)
	.endif
	ds_read_b32 v2, v1                      ; <<< error[R4] missing-wait
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v2, s[6:7]
	.ifeq RIGHT
	s_waitcnt vmcnt(0)
	.endif
	s_endpgm
	.include "end-gfx950.inc"
