; A wave waits for the barrier on a way on which it has not arrived.

target triple = "amdgpu12.50-amd-amdhsa"

declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  %c = icmp sgt i32 %n, 0
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; right
  br i1 %c, label %arrives, label %waits
arrives:
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; wrong
  br label %waits
waits:
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; <<< error[B13] deadlock ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; right
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
