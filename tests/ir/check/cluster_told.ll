; What the wave has written that arrives at the barrier of the cluster is ordered by it; that is not followed.
; not checked: lds: kernel k: 1 pairs of accesses that nothing orders but, perhaps, the barrier of the cluster

target triple = "amdgpu12.50-amd-amdhsa"

@lds = internal addrspace(3) global [1024 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.wave.id()
declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %out) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %wave = call i32 @llvm.amdgcn.wave.id()
  %leads = icmp eq i32 %wave, 0
  br i1 %leads, label %signal, label %wait
signal:
  store i32 1, ptr addrspace(3) @lds
  call void @llvm.amdgcn.s.barrier.signal(i32 -3)
  br label %wait
wait:
  call void @llvm.amdgcn.s.barrier.wait(i16 -3)
  %v = load i32, ptr addrspace(3) @lds
  store i32 %v, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
