; Every wave arrives at the barrier of the cluster, one does so for its workgroup.

target triple = "amdgpu12.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare i1 @llvm.amdgcn.s.barrier.signal.isfirst(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  %first = call i1 @llvm.amdgcn.s.barrier.signal.isfirst(i32 -1)
  call void @llvm.amdgcn.s.barrier.wait(i16 -1)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %one = icmp ult i32 %x, 32
  br i1 %one, label %arrives, label %waits ; right
  br label %arrives ; wrong
arrives:
  call void @llvm.amdgcn.s.barrier.signal(i32 -3) ; <<< error[B14] barrier ; wrong
  call void @llvm.amdgcn.s.barrier.signal(i32 -3) ; right
  br label %waits
waits:
  call void @llvm.amdgcn.s.barrier.wait(i16 -3)
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
