; gfx1250, setting 2
; The move between lanes is folded into `v_bcnt_u32_b32` and taken away, though its result is stored as well: what is stored is
; what the register holds by then.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %moved = call i32 @llvm.amdgcn.update.dpp.i32(i32 %lid, i32 %lid, i32 278, i32 15, i32 15, i1 true)
  %count = call i32 @llvm.ctpop.i32(i32 %moved)
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  %first = getelementptr i8, ptr addrspace(1) %own, i32 4
  store i32 %moved, ptr addrspace(1) %own, align 4
  store i32 %count, ptr addrspace(1) %first, align 4
  ret void
}
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.amdgcn.workitem.id.x()

