; A named barrier that nobody has initialised.

target triple = "amdgpu12.50-amd-amdhsa"

@bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison

declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)

define amdgpu_kernel void @k(i32 %n) #0 {
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 2) ; right
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @bar)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0) ; <<< error[B1] barrier ; wrong
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0) ; right
  call void @llvm.amdgcn.s.barrier.wait(i16 1)
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
