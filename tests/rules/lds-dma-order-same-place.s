; model: lds-dma-order=any
; with: lds-dma-order=issued nothing
; launch: one-wave-of-64
; Two copies go to the same place in LDS, one behind the other: the later one's data stay if they land in the order of their issue.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	s_mov_b32 m0, 0
	s_nop 0
	global_load_lds_dword v1, s[4:5]        ; <<< other end
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	global_load_lds_dword v1, s[4:5]        ; <<< error[R4] missing-wait
	s_waitcnt vmcnt(0)
	ds_read_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx950.inc"
