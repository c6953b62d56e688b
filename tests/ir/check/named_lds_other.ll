; The waves signal one named barrier and wait for another: what is read behind it may still be written.

target triple = "amdgpu12.50-amd-amdhsa"

@bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison
@other.bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison
@lds = internal addrspace(3) global [1024 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)

define amdgpu_kernel void @k(ptr addrspace(1) %out) #0 {
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 2)
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @other.bar, i32 2)
  call void @llvm.amdgcn.s.barrier()
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %own = getelementptr i8, ptr addrspace(3) @lds, i32 %at
  %y = xor i32 %at, 512
  %other = getelementptr i8, ptr addrspace(3) @lds, i32 %y
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @bar)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0) ; wrong
  store <4 x i32> zeroinitializer, ptr addrspace(3) %own ; <<< other end
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0) ; right
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @other.bar, i32 0)
  call void @llvm.amdgcn.s.barrier.wait(i16 1)
  %v = load <4 x i32>, ptr addrspace(3) %other ; <<< error[S2] missing-sync ; wrong
  %v = load <4 x i32>, ptr addrspace(3) %other ; right
  store <4 x i32> %v, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
