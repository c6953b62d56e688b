; Nothing says how many waves a workgroup has. What each wave has in flight at the barrier is read from its own part, and what is
; stored behind that goes elsewhere in every wave; or into the part of the next one.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	ds_store_b32 v1, v0 offset:1024
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v2, v1 offset:1024          ; <<< other end
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	.if RIGHT
	ds_store_b32 v3, v3 offset:512
	.else
	ds_store_b32 v1, v3 offset:1152         ; <<< error[S1] missing-wait
	.endif
	s_wait_dscnt 0x1
	global_store_b32 v1, v2, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
