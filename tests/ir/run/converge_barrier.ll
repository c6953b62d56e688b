; The same behind a barrier, in a loop that lanes leave at different times, with an operation across lanes.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [8]
;! init = "zeros"
;! expect = [11, 13, 16, 10, 15, 15, 15, 15]
; adversarial: the same

target triple = "amdgpu9.50-amd-amdhsa"

@lds = internal addrspace(3) global [4 x i32] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare void @llvm.amdgcn.s.barrier()
define i32 @sum(i32 %x) noinline {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %sum = phi i32 [ 0, %entry ], [ %more, %head ]
  %more = add i32 %sum, %i
  %next = add i32 %i, 1
  %again = icmp ule i32 %next, %x
  br i1 %again, label %head, label %done
done:
  ret i32 %more
}
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %sum = call i32 @sum(i32 %x)
  %ten = add i32 %sum, 10
  %mine = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  %odd = trunc i32 %x to i1
  br i1 %odd, label %one, label %other
one:
  store i32 %ten, ptr addrspace(3) %mine, align 4
  br label %meet
other:
  store i32 %ten, ptr addrspace(3) %mine, align 4
  br label %meet
meet:
  %all = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %lanes = trunc i64 %all to i32
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %next = add i32 %x, 1
  %around = and i32 %next, 3
  %theirs = getelementptr i32, ptr addrspace(3) @lds, i32 %around
  %value = load i32, ptr addrspace(3) %theirs, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %value, ptr addrspace(1) %to, align 4
  %to.lanes = getelementptr i32, ptr addrspace(1) %to, i32 4
  store i32 %lanes, ptr addrspace(1) %to.lanes, align 4
  ret void
}
