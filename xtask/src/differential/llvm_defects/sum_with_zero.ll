; gfx950, setting 1
; -(x * x) + 0 loses the sum, which is +0 where the product is too small.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %f = sitofp i32 %lid to bfloat
  %negated = fneg bfloat %f
  %product = fmul bfloat %f, %negated
  %sum = fadd bfloat %product, 0.0
  %offset = mul i32 %lid, 512
  %place = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  store bfloat %sum, ptr addrspace(1) %place, align 2
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()

