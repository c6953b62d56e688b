; A cluster of 2 x 2 workgroups that share their loads.
;
;               column 0     column 1            Workgroup (x, y) needs row tile A[y] and column tile B[x].
;             +-----------+-----------+          Without multicast the cluster would read 8 tiles; with it, the two
;   row 0     | id 0      | id 1      | A[0]     workgroups of a row ask together for A[y], the two of a column for
;             +-----------+-----------+          B[x]: 4 tiles are read, and each is delivered twice.
;   row 1     | id 2      | id 3      | A[1]
;             +-----------+-----------+          M0 says who asks together: bit i = workgroup i of the cluster.
;               B[0]        B[1]                   row y:    0b0011 << 2*y          column x: 0b0101 << x
;
; All that are named in M0 must issue the same load with the same M0. Each names its own LDS destination.
;   dst[y][x][i] = a[y][i] + b[x][31 - i]

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6
	.text
	.globl cluster_multicast
	.p2align 8
	.type cluster_multicast,@function
cluster_multicast:

; ---- Who am I -----------------------------------------------------------------------------------------------
; In a cluster launch ttmp9 and ttmp7 count clusters; ttmp6 has my place in the cluster and its size minus 1.
	s_load_b128 s[4:7], s[0:1], 0x0        ; s[4:5] = a, s[6:7] = b
	s_load_b64 s[8:9], s[0:1], 0x10        ; s[8:9] = dst
	s_bfe_u32 s12, ttmp6, 0x40000          ; s12: x in the cluster
	s_bfe_u32 s13, ttmp6, 0x40004          ; s13: y in the cluster
	s_lshl_b32 s14, ttmp9, 1               ; clusters are 2 wide:
	s_add_co_i32 s14, s14, s12             ; s14: x in the grid
	s_and_b32 s15, ttmp7, 0xffff
	s_lshl_b32 s15, s15, 1                 ; and 2 high:
	s_add_co_i32 s15, s15, s13             ; s15: y in the grid

; ---- Which bytes --------------------------------------------------------------------------------------------
	v_lshlrev_b32_e32 v1, 2, v0            ; v1: my 4 bytes of a tile of 32; also where A goes in LDS
	v_add_nc_u32_e32 v2, 0x80, v1          ; v2: where B goes in LDS
	s_lshl_b32 s16, s15, 7                 ; a tile is 0x80 bytes
	v_add_nc_u32_e32 v3, s16, v1           ; v3: my 4 bytes of A[y]
	s_lshl_b32 s17, s14, 7
	v_add_nc_u32_e32 v4, s17, v1           ; v4: my 4 bytes of B[x]

; ---- Ask together -------------------------------------------------------------------------------------------
	s_wait_kmcnt 0x0
	s_lshl_b32 s18, s13, 1
	s_lshl_b32 m0, 0x3, s18                ; the two workgroups of my row
	cluster_load_async_to_lds_b32 v1, v3, s[4:5]
	s_lshl_b32 m0, 0x5, s12                ; the two workgroups of my column
	cluster_load_async_to_lds_b32 v2, v4, s[6:7]

; ---- Use ----------------------------------------------------------------------------------------------------
; ASYNCcnt counts what is delivered to me, whoever else shares it. One wave a workgroup here: no barrier needed.
	v_xor_b32_e32 v5, 0x7c, v1             ; the mirrored lane: 31 - i
	s_wait_asynccnt 0x1                    ; A is there; B may still fly
	ds_load_b32 v6, v1
	s_wait_asynccnt 0x0                    ; B is there
	ds_load_b32 v7, v5 offset:128
	s_lshl_b32 s19, s15, 2                 ; the grid is 4 wide: workgroup y * 4 + x
	s_add_co_i32 s19, s19, s14
	s_lshl_b32 s19, s19, 7
	v_add_nc_u32_e32 v8, s19, v1
	s_wait_dscnt 0x0
	v_add_nc_u32_e32 v6, v6, v7
	global_store_b32 v8, v6, s[8:9]
	s_endpgm
.Lend:
	.size cluster_multicast, .Lend-cluster_multicast

; The kernel descriptor: what the hardware must know before the first instruction runs.
	.rodata
	.p2align 6
	.amdhsa_kernel cluster_multicast
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 24
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
  - .name: cluster_multicast
    .symbol: cluster_multicast.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 16
    .max_flat_workgroup_size: 32
    .cluster_dims: [2, 2, 1]
    .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 8
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 16
        .size: 8
        .value_kind: global_buffer
...
	.end_amdgpu_metadata
