; gfx1250, setting 1
; The loop that a minimum over the wave becomes changes SCC; what was compared before it is read from SCC behind it.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = mul i32 %group, 64
  %gid = add i32 %first, %lid
  %offset = mul i32 %gid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  %later = icmp uge i32 %group, 1
  %least = call i32 @llvm.amdgcn.wave.reduce.umin.i32(i32 %lid, i32 0)
  %seven = select i1 %later, i32 7, i32 0
  %next = getelementptr i8, ptr addrspace(1) %own, i32 4
  store i32 %least, ptr addrspace(1) %own, align 4
  store i32 %seven, ptr addrspace(1) %next, align 4
  ret void
}
declare i32 @llvm.amdgcn.wave.reduce.umin.i32(i32, i32 immarg)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
