; Producers and consumers go round their loops as often, with two named barriers between them: that there is something,
; and that there is room again.

target triple = "amdgpu12.50-amd-amdhsa"

@bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison
@other = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)

define amdgpu_kernel void @k(i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp ult i32 %x, 32
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 2)
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @other, i32 2)
  call void @llvm.amdgcn.s.barrier()
  %any = icmp sgt i32 %n, 0
  br i1 %first, label %produces, label %consumes
produces:
  br i1 %any, label %fill, label %end
fill:
  %i = phi i32 [ 0, %produces ], [ %i.next, %fill ]
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @bar)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0)
  call void @llvm.amdgcn.s.barrier.wait(i16 1)
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @other)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @other, i32 0)
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; <<< error[B13] deadlock ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; right
  %i.next = add i32 %i, 1
  %i.more = icmp slt i32 %i.next, %n
  br i1 %i.more, label %fill, label %end
consumes:
  br i1 %any, label %drain, label %end
drain:
  %j = phi i32 [ 0, %consumes ], [ %j.next, %drain ]
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @bar)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @bar, i32 0)
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; <<< error[B13] deadlock ; wrong
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; right
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @other) ; right
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @other, i32 0) ; right
  call void @llvm.amdgcn.s.barrier.wait(i16 1) ; right
  %j.next = add i32 %j, 1
  %j.more = icmp slt i32 %j.next, %n
  br i1 %j.more, label %drain, label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
