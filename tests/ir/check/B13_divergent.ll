; The first wave waits for the barrier without arriving, the second does both.

target triple = "amdgpu12.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %second = icmp ugt i32 %x, 31
  br i1 %second, label %meets, label %passes
meets:
  call void @llvm.amdgcn.s.barrier()
  br label %end
passes:
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; right
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; <<< error[B13] deadlock ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; right
  br label %end
end:
  call void @llvm.amdgcn.s.barrier.signal(i32 -1)
  call void @llvm.amdgcn.s.barrier.wait(i16 -1)
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
