; A function that calls another one keeps its return address in lanes of a register that it keeps in memory, as LLVM's
; functions do; where they are comes from the table of global addresses.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.include "gfx950.inc"
	v_mov_b32_e32 v8, 0
	v_writelane_b32 v8, s6, 0
	v_writelane_b32 v8, s7, 1
	s_getpc_b64 s[12:13]
	s_add_u32 s12, s12, outer@gotpcrel32@lo+4
	s_addc_u32 s13, s13, outer@gotpcrel32@hi+12
	s_load_dwordx2 s[12:13], s[12:13], 0x0
	s_waitcnt lgkmcnt(0)
	s_swappc_b64 s[30:31], s[12:13]
	v_add_u32_e32 v2, 1, v2                 ; <<< error[R1] missing-wait
	v_readlane_b32 s6, v8, 0
	v_readlane_b32 s7, v8, 1
	s_nop 4
	global_store_dword v1, v2, s[6:7]
	s_endpgm

	.globl outer
	.type outer,@function
outer:
	v_writelane_b32 v9, s30, 0
	v_writelane_b32 v9, s31, 1
	s_getpc_b64 s[12:13]
	s_add_u32 s12, s12, inner@rel32@lo+4
	s_addc_u32 s13, s13, inner@rel32@hi+12
	s_swappc_b64 s[30:31], s[12:13]
	v_readlane_b32 s30, v9, 0
	v_readlane_b32 s31, v9, 1
	.if RIGHT
	s_waitcnt vmcnt(0)
	.endif
	s_setpc_b64 s[30:31]
	.size outer, .-outer

inner:
	v_writelane_b32 v8, s4, 2
	global_load_dword v2, v1, s[4:5]        ; <<< other end
	s_setpc_b64 s[30:31]
	.include "end-gfx950.inc"
