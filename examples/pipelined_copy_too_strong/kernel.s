; pipelined_copy with one wait too STRONG. See the line marked with <<<.
;
; The results are right and nothing is undefined, but the wait drains the whole pipeline: no copy is ever in
; flight while a tile is used, and the ring of three buffers is good for nothing. Wavemark says which N
; would have been enough in this run.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl pipelined_copy
	.p2align 8
	.type pipelined_copy,@function
pipelined_copy:

; ---- Where am I, what is given ------------------------------------------------------------------------------
; At entry: s[0:1] points to the kernel arguments, v0 is the lane of the workgroup (0..63), ttmp9 is the
; workgroup. Each workgroup owns 8 tiles of 64 lanes x 16 bytes = 0x400 bytes: 0x2000 bytes in all.
	s_load_b128 s[4:7], s[0:1], 0x0        ; s[4:5] = src, s[6:7] = dst
	s_mul_i32 s8, ttmp9, 0x2000            ; first byte of my workgroup
	v_lshlrev_b32_e32 v1, 4, v0            ; v1: my 16 bytes in a tile, where I copy to
	v_sub_nc_u32_e32 v2, 0x3f0, v1         ; v2: the mirrored 16 bytes, where I read from
	v_add_nc_u32_e32 v3, s8, v1            ; v3: my 16 bytes of the next tile to ask for, from src
	v_mov_b32_e32 v4, v3                   ; v4: my 16 bytes of the tile in use, from dst
	v_mov_b32_e32 v5, v1                   ; v5: LDS address of the next copy

; ---- Prologue: ask for tiles 0 and 1 ------------------------------------------------------------------------
; An asynchronous load goes from memory to LDS without touching a VGPR. It has two moments: it is issued here,
; and it is complete when ASYNCcnt says so. Until then nobody may read the destination.
	s_wait_kmcnt 0x0                       ; the pointers are in s[4:7]
	global_load_async_to_lds_b128 v5, v3, s[4:5]
	s_wait_xcnt 0x0                        ; the addresses have been read and translated: v3, v5 are free again
	v_add_nc_u32_e32 v3, 0x400, v3
	v_add_nc_u32_e32 v5, 0x400, v5
	global_load_async_to_lds_b128 v5, v3, s[4:5]
	s_movk_i32 s9, 0x0                     ; s9: buffer of the tile in use       (0, 0x400, 0x800, 0, ...)
	s_movk_i32 s10, 0x800                  ; s10: buffer of the tile to ask for
	s_movk_i32 s11, 0x6                    ; s11: tiles still to ask for

; ---- Steady state: use tile t, ask for tile t+2 -------------------------------------------------------------
.Lsteady:
	s_wait_asynccnt 0x0                    ; <<< drains t+1 as well: 0x1 is enough
; The wait covers only my own copies. The barrier makes it everybody's: each wave arrives after its own wait, so
; once all have arrived the whole tile is there. It also ends the reads of tile t-1 (each wave waited for its
; ds_load below before it came here), so the third buffer may be overwritten.
	s_barrier_signal -1
	s_barrier_wait -1
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v3, 0x400, v3
	v_add_nc_u32_e32 v5, s10, v1
	global_load_async_to_lds_b128 v5, v3, s[4:5] ; tile t+2 into the buffer of tile t-1
	v_add_nc_u32_e32 v6, s9, v2
	ds_load_b128 v[8:11], v6               ; tile t, written by the other wave
	s_wait_dscnt 0x0
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_b128 v4, v[8:11], s[6:7]
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v4, 0x400, v4
; Turn the ring: both offsets advance by one buffer and wrap at three.
	s_add_co_i32 s9, s9, 0x400
	s_cmp_eq_u32 s9, 0xc00
	s_cselect_b32 s9, 0, s9
	s_add_co_i32 s10, s10, 0x400
	s_cmp_eq_u32 s10, 0xc00
	s_cselect_b32 s10, 0, s10
	s_add_co_i32 s11, s11, -1
	s_cmp_lg_u32 s11, 0
	s_cbranch_scc1 .Lsteady

; ---- Epilogue: two tiles left, nothing more to ask for ------------------------------------------------------
	s_wait_asynccnt 0x1                    ; tile 6; the last one may still fly
	s_barrier_signal -1
	s_barrier_wait -1
	v_add_nc_u32_e32 v6, s9, v2
	ds_load_b128 v[8:11], v6
	s_wait_dscnt 0x0
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_b128 v4, v[8:11], s[6:7]
	s_add_co_i32 s9, s9, 0x400
	s_cmp_eq_u32 s9, 0xc00
	s_cselect_b32 s9, 0, s9

	s_wait_asynccnt 0x0                    ; tile 7: the pipeline is empty now
	s_barrier_signal -1
	s_barrier_wait -1
	v_add_nc_u32_e32 v6, s9, v2
	ds_load_b128 v[8:11], v6
	s_wait_dscnt 0x0
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_b128 v4, v[8:11], s[6:7] offset:1024
	s_endpgm                               ; stores may still be in flight: the hardware completes them
.Lend:
	.size pipelined_copy, .Lend-pipelined_copy

; The kernel descriptor: what the hardware must know before the first instruction runs.
	.rodata
	.p2align 6
	.amdhsa_kernel pipelined_copy
		.amdhsa_group_segment_fixed_size 3072
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

; The metadata: what a runtime (or Wavemark) must know to launch it.
	.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
amdhsa.target: amdgcn-amd-amdhsa--gfx1250
amdhsa.kernels:
  - .name: pipelined_copy
    .symbol: pipelined_copy.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 3072
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 64
    .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 8
        .size: 8
        .value_kind: global_buffer
...
	.end_amdgpu_metadata
