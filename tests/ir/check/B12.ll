; Two arrivals in one phase, on the way that goes round the loop again.

target triple = "amdgpu12.50-amd-amdhsa"

declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; <<< error[B12] barrier ; wrong
  call void @llvm.amdgcn.s.barrier.signal(i32 -1) ; right
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; right
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; wrong
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
