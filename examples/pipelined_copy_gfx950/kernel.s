; The gfx950 twin of pipelined_copy: the same ring of three LDS buffers with CDNA4's own means.
;
; What differs from gfx1250:
;   * A wave has 64 lanes; two waves make a tile of 128 lanes x 16 bytes = 0x800 bytes.
;   * The copy is global_load_lds_dwordx4. The LDS address is not a VGPR: it is M0 + lane * 16, so M0 names the
;     wave's own half of a buffer.
;   * There is one counter, vmcnt, for loads, LDS copies AND stores, and it counts in order. A store between two
;     copies counts like a copy, so the right N depends on what was issued since: 1, then 2, then 3.
;   * s_barrier is signal and wait in one.
;   dst[wg][t][i] = 2 * src[wg][t][127 - i] + 1       (i: lane of the workgroup; four u32 each)

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl pipelined_copy
	.p2align 8
	.type pipelined_copy,@function
pipelined_copy:

; ---- Where am I, what is given ------------------------------------------------------------------------------
; s[0:1]: kernel arguments; s2: workgroup; v0: lane of the workgroup (0..127). 6 tiles a workgroup.
	s_load_dwordx4 s[4:7], s[0:1], 0x0     ; s[4:5] = src, s[6:7] = dst
	s_mul_i32 s8, s2, 0x3000               ; first byte of my workgroup
	v_lshrrev_b32_e32 v1, 6, v0            ; my wave, 0 or 1, the same in all its lanes:
	s_nop 0
	v_readfirstlane_b32 s9, v1             ;   so it fits an SGPR
	s_lshl_b32 s9, s9, 10                  ; s9: my wave's half of a buffer, 0 or 0x400
	v_lshlrev_b32_e32 v1, 4, v0            ; v1: my 16 bytes in a tile
	v_sub_u32_e32 v2, 0x7f0, v1            ; v2: the mirrored 16 bytes, which the other wave copies
	v_add_u32_e32 v3, s8, v1               ; v3: my 16 bytes of the tile to ask for, from src
	v_mov_b32_e32 v4, v3                   ; v4: my 16 bytes of the tile in use, from dst
	s_mov_b32 s10, 0                       ; s10: buffer of the tile in use
	s_add_u32 s11, s9, 0x1000              ; s11: my half of the buffer to ask for next (tile 2)
	s_add_u32 s12, s9, 0x1800              ; s12: where s11 wraps to s9
	s_waitcnt lgkmcnt(0)                   ; the pointers are in s[4:7]

; ---- Prologue: ask for tiles 0 and 1 ------------------------------------------------------------------------
	s_mov_b32 m0, s9
	s_nop 0
	global_load_lds_dwordx4 v3, s[4:5]     ; copy 0
	s_add_u32 s13, s9, 0x800
	s_mov_b32 m0, s13
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]     ; copy 1

; ---- Tile 0: only copy 1 was issued after copy 0 ------------------------------------------------------------
	s_waitcnt vmcnt(1)
	s_barrier
	s_mov_b32 m0, s11
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]
	s_add_u32 s11, s11, 0x800
	s_cmp_eq_u32 s11, s12
	s_cselect_b32 s11, s9, s11
	v_add_u32_e32 v5, s10, v2
	ds_read_b128 v[8:11], v5
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_dwordx4 v4, v[8:11], s[6:7]
	v_add_u32_e32 v4, 0x800, v4
	s_add_u32 s10, s10, 0x800
	s_cmp_eq_u32 s10, 0x1800
	s_cselect_b32 s10, 0, s10

; ---- Tile 1: copy 2 and store 0 were issued after copy 1 ----------------------------------------------------
	s_waitcnt vmcnt(2)
	s_barrier
	s_mov_b32 m0, s11
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]
	s_add_u32 s11, s11, 0x800
	s_cmp_eq_u32 s11, s12
	s_cselect_b32 s11, s9, s11
	v_add_u32_e32 v5, s10, v2
	ds_read_b128 v[8:11], v5
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_dwordx4 v4, v[8:11], s[6:7]
	v_add_u32_e32 v4, 0x800, v4
	s_add_u32 s10, s10, 0x800
	s_cmp_eq_u32 s10, 0x1800
	s_cselect_b32 s10, 0, s10

; ---- Steady state: store t-2, copy t+1 and store t-1 were issued after copy t -------------------------------
	s_movk_i32 s14, 0x2                    ; tiles still to ask for
.Lsteady:
	s_waitcnt vmcnt(3)
	s_barrier
	s_mov_b32 m0, s11
	v_add_u32_e32 v3, 0x800, v3
	global_load_lds_dwordx4 v3, s[4:5]
	s_add_u32 s11, s11, 0x800
	s_cmp_eq_u32 s11, s12
	s_cselect_b32 s11, s9, s11
	v_add_u32_e32 v5, s10, v2
	ds_read_b128 v[8:11], v5
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_dwordx4 v4, v[8:11], s[6:7]
	v_add_u32_e32 v4, 0x800, v4
	s_add_u32 s10, s10, 0x800
	s_cmp_eq_u32 s10, 0x1800
	s_cselect_b32 s10, 0, s10
	s_sub_u32 s14, s14, 1
	s_cmp_lg_u32 s14, 0
	s_cbranch_scc1 .Lsteady

; ---- Epilogue: tile 4, then tile 5 with one operation less behind it --------------------------------------
	s_waitcnt vmcnt(3)
	s_barrier
	v_add_u32_e32 v5, s10, v2
	ds_read_b128 v[8:11], v5
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_dwordx4 v4, v[8:11], s[6:7]
	v_add_u32_e32 v4, 0x800, v4
	s_add_u32 s10, s10, 0x800
	s_cmp_eq_u32 s10, 0x1800
	s_cselect_b32 s10, 0, s10
	s_waitcnt vmcnt(2)
	s_barrier
	v_add_u32_e32 v5, s10, v2
	ds_read_b128 v[8:11], v5
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v8, v8, 1, 1
	v_lshl_add_u32 v9, v9, 1, 1
	v_lshl_add_u32 v10, v10, 1, 1
	v_lshl_add_u32 v11, v11, 1, 1
	global_store_dwordx4 v4, v[8:11], s[6:7]
	v_add_u32_e32 v4, 0x800, v4
	s_endpgm
.Lend:
	.size pipelined_copy, .Lend-pipelined_copy

; The kernel descriptor: what the hardware must know before the first instruction runs.
	.rodata
	.p2align 6
	.amdhsa_kernel pipelined_copy
		.amdhsa_group_segment_fixed_size 6144
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 16
	.end_amdhsa_kernel

; The metadata: what a runtime (or Wavemark) must know to launch it.
	.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: pipelined_copy
    .symbol: pipelined_copy.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 6144
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
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
