; launch: cluster-of-two-waves
; A wait belongs before the barrier at which all waves arrive, not before the one behind it, where one arrives for its workgroup.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_xor_b32_e32 v6, 0x80, v1
	global_load_async_to_lds_b32 v1, v1, s[4:5] ; <<< other end
	.if RIGHT
	s_wait_asynccnt 0x0
	.endif
	s_barrier_signal -1                     ; <<< hint: s_wait_asynccnt 0
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lother
	s_barrier_signal -3
.Lother:
	s_barrier_wait -3
	ds_load_b32 v7, v1
	ds_load_b32 v8, v6                      ; <<< error[R4] missing-wait
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v7, v7, v8
	global_store_b32 v1, v7, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
