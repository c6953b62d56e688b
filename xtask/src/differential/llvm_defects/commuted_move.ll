; gfx1250, setting 2
; What is moved between lanes is a constant. The move is folded into `v_add3_u32`, then the constant, for which the operands change
; places: it is the lane's number that is moved.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %zeros = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 0, i32 275, i32 15, i32 15, i1 true)
  %ones = xor i32 %zeros, -1
  %sum = sub i32 %lid, %ones
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  store i32 %sum, ptr addrspace(1) %own, align 4
  ret void
}
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare i32 @llvm.amdgcn.workitem.id.x()
