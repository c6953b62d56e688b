; gfx1250, setting 1
; A division by -0.125 is a product with -8, of which `v_fma_mixlo_bf16` makes a sum with +0: -0 is lost.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %f = sitofp i32 %lid to bfloat
  %quotient = fdiv bfloat %f, -0.125
  %offset = mul i32 %lid, 512
  %place = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  store bfloat %quotient, ptr addrspace(1) %place, align 2
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
