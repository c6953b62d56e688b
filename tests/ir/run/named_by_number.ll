; Two named barriers: an arrival by number is at that of the number, a wait is for the one that was joined.
;! grid = [1]
;! block = [64]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [64]
;! init = "zeros"
;! expect = "iota"

target triple = "amdgpu12.50-amd-amdhsa"

@first = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison
@second = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @first, i32 2)
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @second, i32 2)
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @first)
  call void @llvm.amdgcn.s.barrier.signal(i32 2)
  call void @llvm.amdgcn.s.barrier.signal(i32 1)
  call void @llvm.amdgcn.s.barrier.wait(i16 2)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %x, ptr addrspace(1) %p
  ret void
}
