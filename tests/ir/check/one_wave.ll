; A wave alone goes round loops that nothing is known of, with barriers in them: each is complete as soon as it arrives.

target triple = "amdgpu12.50-amd-amdhsa"

declare void @llvm.amdgcn.s.barrier()

define amdgpu_kernel void @k(ptr addrspace(1) %lock, i32 %n) #0 {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %left ]
  br label %first
first:
  call void @llvm.amdgcn.s.barrier()
  %a = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acq_rel monotonic, align 4
  %a.taken = extractvalue { i32, i1 } %a, 1
  call void @llvm.amdgcn.s.barrier()
  br i1 %a.taken, label %second, label %first
second:
  call void @llvm.amdgcn.s.barrier()
  %b = cmpxchg ptr addrspace(1) %lock, i32 1, i32 2 syncscope("agent") acq_rel monotonic, align 4
  %b.taken = extractvalue { i32, i1 } %b, 1
  call void @llvm.amdgcn.s.barrier()
  br i1 %b.taken, label %third, label %second
third:
  call void @llvm.amdgcn.s.barrier()
  %c = cmpxchg ptr addrspace(1) %lock, i32 2, i32 0 syncscope("agent") acq_rel monotonic, align 4
  %c.taken = extractvalue { i32, i1 } %c, 1
  call void @llvm.amdgcn.s.barrier()
  br i1 %c.taken, label %left, label %third
left:
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,32" }
