; Each work-item loads whether its wave arrives; all wait.

target triple = "amdgpu12.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %g) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %g, i32 %x
  %v = load i32, ptr addrspace(1) %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %arrives, label %behind
arrives:
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; wrong
  br label %behind
behind:
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; right
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; <<< error[B13] deadlock
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
