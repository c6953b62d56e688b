; Each wave loads by which way it goes.

target triple = "amdgpu12.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %g) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %g, i32 %x
  %v = load i32, ptr addrspace(1) %p
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v)
  %c = icmp eq i32 %first, 0
  br i1 %c, label %meets, label %passes
meets:
  call void @llvm.amdgcn.s.barrier()
  br label %end
passes:
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; right
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; <<< error[B13] deadlock ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; right
  br label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
