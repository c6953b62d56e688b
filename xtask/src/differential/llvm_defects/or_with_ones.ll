; gfx950, setting 1
; The first element is x | -1, and becomes x.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  %vector = insertelement <2 x i32> <i32 2147483647, i32 -1>, i32 %lid, i32 0
  %joined = or <2 x i32> <i32 -1, i32 0>, %vector
  store <2 x i32> %joined, ptr addrspace(1) %own, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
