; A product from left to right.
;! grid = [1]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "f32"
;! shape = [1]
;! init = "hex:ff"
;! expect = [48.0]

target triple = "amdgpu9.50-amd-amdhsa"

declare float @llvm.vector.reduce.fmul.v4f32(float, <4 x float>)

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %product = call float @llvm.vector.reduce.fmul.v4f32(float 2.0, <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>)
  store float %product, ptr addrspace(1) %out
  ret void
}
