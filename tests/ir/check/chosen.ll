; Which of two barriers follows from a phi of constants, and from a selection; its count from which wave asks.

target triple = "amdgpu12.50-amd-amdhsa"

@bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison
@other = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison

declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 2)
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @other, i32 2)
  call void @llvm.amdgcn.s.barrier()
  %c = icmp sgt i32 %n, 7
  %one = select i1 %c, ptr addrspace(3) @bar, ptr addrspace(3) @other
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) %one)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) %one, i32 0)
  call void @llvm.amdgcn.s.barrier.wait(i16 1)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %now = phi ptr addrspace(3) [ @bar, %entry ], [ %then, %loop ]
  %then = phi ptr addrspace(3) [ @other, %entry ], [ %now, %loop ]
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) %now)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) %now, i32 0) ; right
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) %then, i32 0) ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; <<< error[B13] deadlock ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; right
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
