; One producer wave, two consumer waves, two LDS slots, four named barriers.
;
;   wave 0 (producer)        fill slot 0   fill slot 1   fill slot 0   ...
;   waves 1, 2 (consumers)                 read slot 0   read slot 1   ...
;
;   barrier 1: slot 0 is full       barrier 3: slot 0 is empty        Each expects three arrivals: the producer and
;   barrier 2: slot 1 is full       barrier 4: slot 1 is empty        both consumers.
;
; The workgroup barrier (-1) could do this too, but it would stop the producer whenever a consumer is slow, in
; every round. With named barriers each side waits only for what it needs: it ARRIVES (s_barrier_signal) where it
; gives something away, which never blocks, and arrives and WAITS where it takes something.
; A wave must have JOINED a named barrier to wait on it, and is joined to one at a time: the last.
;   dst[0][i] = sum over t of src[t][31 - i]          (wave 1)
;   dst[1][i] = max over t of src[t][31 - i]          (wave 2)

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl named_barriers
	.p2align 8
	.type named_barriers,@function
named_barriers:

	s_load_b128 s[4:7], s[0:1], 0x0        ; s[4:5] = src, s[6:7] = dst
	s_bfe_u32 s8, ttmp8, 0x50019           ; s8: wave of the workgroup
	v_and_b32_e32 v0, 31, v0               ; v0: lane of the wave
	s_wait_kmcnt 0x0

; ---- Initialise the barriers, once, before anybody uses them ------------------------------------------------
; M0: barrier in the low bits, expected arrivals from bit 16 on.
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Linitialised
	s_mov_b32 m0, 0x30001
	s_barrier_init m0
	s_mov_b32 m0, 0x30002
	s_barrier_init m0
	s_mov_b32 m0, 0x30003
	s_barrier_init m0
	s_mov_b32 m0, 0x30004
	s_barrier_init m0
.Linitialised:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lconsumer

; ---- Producer: two tiles without asking, then one for every slot that comes back -----------------------------
	v_lshlrev_b32_e32 v1, 2, v0            ; v1: slot 0 in LDS
	v_add_nc_u32_e32 v2, 0x80, v1          ; v2: slot 1 in LDS
	v_mov_b32_e32 v3, v1                   ; v3: my 4 bytes of the next tile
	global_load_async_to_lds_b32 v1, v3, s[4:5]
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v3, 0x80, v3
	global_load_async_to_lds_b32 v2, v3, s[4:5]
	s_wait_asynccnt 0x1                    ; tile 0 has landed, tile 1 may still fly
	s_barrier_signal 1                     ; slot 0 is full
	s_movk_i32 s9, 0x2                     ; pairs of tiles to come
.Lproduce:
; Tile t (even) into slot 0.
	s_barrier_join 3
	s_barrier_signal 3
	s_barrier_wait 3                       ; slot 0 is empty: both consumers have read it
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v3, 0x80, v3
	global_load_async_to_lds_b32 v1, v3, s[4:5]
	s_wait_asynccnt 0x1                    ; the tile before it has landed
	s_barrier_signal 2                     ; slot 1 is full
; Tile t+1 (odd) into slot 1.
	s_barrier_join 4
	s_barrier_signal 4
	s_barrier_wait 4                       ; slot 1 is empty: both consumers have read it
	s_wait_xcnt 0x0
	v_add_nc_u32_e32 v3, 0x80, v3
	global_load_async_to_lds_b32 v2, v3, s[4:5]
	s_wait_asynccnt 0x1                    ; the tile before it has landed
	s_barrier_signal 1                     ; slot 0 is full
	s_add_co_i32 s9, s9, -1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lproduce
	s_wait_asynccnt 0x0                    ; the last tile
	s_barrier_signal 2
	s_endpgm

; ---- Consumers ------------------------------------------------------------------------------------------------
.Lconsumer:
	v_lshlrev_b32_e32 v1, 2, v0            ; v1: my 4 bytes of a row of dst
	v_xor_b32_e32 v2, 0x7c, v1             ; v2: the mirrored lane's 4 bytes of slot 0
	v_mov_b32_e32 v6, 0                    ; v6: sum
	v_mov_b32_e32 v7, 0                    ; v7: maximum
	s_movk_i32 s9, 0x2
.Lconsume:
	s_barrier_join 1                       ; from now on s_barrier_wait means barrier 1
	s_barrier_signal 1
	s_barrier_wait 1                       ; slot 0 is full
	ds_load_b32 v5, v2
	s_wait_dscnt 0x0                       ; the read is done: only now may the slot be given back
	s_barrier_signal 3                     ; slot 0 is empty, as far as I am concerned
	v_add_nc_u32_e32 v6, v6, v5
	v_max_u32_e32 v7, v7, v5
	s_barrier_join 2                       ; from now on s_barrier_wait means barrier 2
	s_barrier_signal 2
	s_barrier_wait 2                       ; slot 1 is full
	ds_load_b32 v5, v2 offset:128
	s_wait_dscnt 0x0                       ; the read is done: only now may the slot be given back
	s_barrier_signal 4                     ; slot 1 is empty, as far as I am concerned
	v_add_nc_u32_e32 v6, v6, v5
	v_max_u32_e32 v7, v7, v5
	s_add_co_i32 s9, s9, -1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 .Lconsume
; The last two tiles: the producer wants no slot back, so nobody arrives at barriers 3 and 4.
	s_barrier_join 1                       ; from now on s_barrier_wait means barrier 1
	s_barrier_signal 1
	s_barrier_wait 1                       ; slot 0 is full
	ds_load_b32 v5, v2
	s_wait_dscnt 0x0                       ; the read is done: only now may the slot be given back
	v_add_nc_u32_e32 v6, v6, v5
	v_max_u32_e32 v7, v7, v5
	s_barrier_join 2                       ; from now on s_barrier_wait means barrier 2
	s_barrier_signal 2
	s_barrier_wait 2                       ; slot 1 is full
	ds_load_b32 v5, v2 offset:128
	s_wait_dscnt 0x0                       ; the read is done: only now may the slot be given back
	v_add_nc_u32_e32 v6, v6, v5
	v_max_u32_e32 v7, v7, v5

; Wave 1 writes the sum, wave 2 the maximum.
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc1 .Lsum
	global_store_b32 v1, v7, s[6:7] offset:128
	s_endpgm
.Lsum:
	global_store_b32 v1, v6, s[6:7]
	s_endpgm
.Lend:
	.size named_barriers, .Lend-named_barriers

; The kernel descriptor: what the hardware must know before the first instruction runs.
	.rodata
	.p2align 6
	.amdhsa_kernel named_barriers
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
		.amdhsa_named_barrier_count 4
	.end_amdhsa_kernel

; The metadata: what a runtime (or Wavemark) must know to launch it.
	.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
amdhsa.target: amdgcn-amd-amdhsa--gfx1250
amdhsa.kernels:
  - .name: named_barriers
    .symbol: named_barriers.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 96
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
