; target: amdgcn-amd-amdpal--gfx900

.amd_amdgpu_pal_metadata 1
.amd_amdgpu_pal_metadata 1, 2,
.amd_amdgpu_pal_metadata
.amdgpu_pal_metadata
amdpal.pipelines:
  - .registers:
      abc: 1
.end_amdgpu_pal_metadata
.amdgpu_pal_metadata
amdpal.pipelines: 5
.end_amdgpu_pal_metadata
.amd_amdgpu_pal_metadata 1, 2
.amdgpu_pal_metadata
amdpal.version: [2, 6]
.end_amdgpu_pal_metadata
.amdhsa_code_object_version 5
.amdgpu_metadata
...
.end_amdgpu_metadata
.amdhsa_kernel k
.end_amdhsa_kernel
.amdgpu_pal_metadata
;> file:3:27: error: expected ',' and the register's value
;> file:4:31: error: expected an expression
;> file:5:25: error: expected an expression
;> file:6:1: error: invalid metadata: amdpal.pipelines[0].registers: `abc` is no register's number
;> file:11:1: error: invalid metadata: amdpal.pipelines: expected a sequence, found an integer
;> file:15:1: error: there are registers of .amd_amdgpu_pal_metadata already
;> file:18:1: error: .amdhsa_code_object_version is for the operating system amdhsa, this object for amdpal
;> file:20:1: error: invalid metadata: there is no document
;> file:22:1: error: .amdhsa_kernel is for the operating system amdhsa, this object for amdpal
;> file:24:1: error: .amdgpu_pal_metadata without .end_amdgpu_pal_metadata
