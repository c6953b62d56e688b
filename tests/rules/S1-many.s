; launch: two-waves
; A load reads what eight stores of another wave have left: the barrier has to wait for the last of them.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_and_b32_e32 v2, 7, v0
	v_lshlrev_b32_e32 v2, 8, v2
	v_xor_b32_e32 v3, 0x80, v1
	v_add_nc_u32_e32 v2, v2, v3
	ds_store_b32 v1, v0                     ; <<< other end
	ds_store_b32 v1, v0 offset:256          ; <<< other end
	ds_store_b32 v1, v0 offset:512          ; <<< other end
	ds_store_b32 v1, v0 offset:768          ; <<< other end
	ds_store_b32 v1, v0 offset:1024         ; <<< other end
	ds_store_b32 v1, v0 offset:1280         ; <<< other end
	ds_store_b32 v1, v0 offset:1536         ; <<< other end
	ds_store_b32 v1, v0 offset:1792         ; <<< other end
	.if RIGHT
	s_wait_dscnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_dscnt 0
	s_barrier_wait -1
	ds_load_b32 v4, v2                      ; <<< error[S1] missing-wait
	s_wait_dscnt 0x0
	global_store_b32 v1, v4, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
