; On one way a wave leaves what it has not joined.

target triple = "amdgpu12.50-amd-amdhsa"

@bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison

declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.leave(i16 immarg)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 2)
  call void @llvm.amdgcn.s.barrier()
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %joins, label %on
joins:
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @bar)
  br label %on
on:
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @bar) ; right
  call void @llvm.amdgcn.s.barrier.leave(i16 0) ; <<< error[B9] barrier ; wrong
  call void @llvm.amdgcn.s.barrier.leave(i16 0) ; right
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
