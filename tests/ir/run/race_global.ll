; Two workgroups store to one place, each another number.
;! grid = [2]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [2]

target triple = "amdgpu9.50-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %group, ptr addrspace(1) %out, align 4  ; <<< error[M1] missing-sync
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
