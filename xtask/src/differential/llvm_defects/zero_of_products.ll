; gfx1250, setting 1
; `v_fma_mixlo_bf16` adds +0 to the product, so that -0 is lost.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %f = sitofp i32 %lid to bfloat
  %product = fmul bfloat -2.5, %f
  %offset = mul i32 %lid, 512
  %place = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  store bfloat %product, ptr addrspace(1) %place, align 2
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()

