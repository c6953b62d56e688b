; A wave leaves a named barrier that it has arrived at, for which another waits.

target triple = "amdgpu12.50-amd-amdhsa"

@bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.leave(i16 immarg)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 2)
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @bar)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp ult i32 %x, 32
  br i1 %first, label %waits, label %leaves
waits:
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0)
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; <<< error[B7] barrier ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; right
  ret void
leaves:
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0)
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; right
  call void @llvm.amdgcn.s.barrier.leave(i16 0) ; <<< error[B7] barrier ; wrong
  call void @llvm.amdgcn.s.barrier.leave(i16 0) ; right
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
