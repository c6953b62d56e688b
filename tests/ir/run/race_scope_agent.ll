; The right twin of `race_scope`: the scope is the agent.
;! grid = [2]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [2]
;! expect = [2, 0]
;! init = "zeros"

target triple = "amdgpu9.50-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %old = atomicrmw add ptr addrspace(1) %out, i32 1 syncscope("agent") monotonic, align 4
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
