; gfx950, setting 2
; The sine of -0, as an instruction gives it, is -0; LLVM computes +0.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %sine = call float @llvm.amdgcn.sin.f32(float -0.0)
  store float %sine, ptr addrspace(1) %out, align 4
  ret void
}
declare float @llvm.amdgcn.sin.f32(float)
