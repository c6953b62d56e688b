; The right twin of `race_global`: each has a place of its own.
;! grid = [2]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [2]
;! expect = [0, 1]

target triple = "amdgpu9.50-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i32, ptr addrspace(1) %out, i32 %group
  store i32 %group, ptr addrspace(1) %own, align 4
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
