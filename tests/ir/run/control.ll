; Lanes part and meet: a loop that each lane leaves by itself, a branch in it, a swap of two phis, a switch.
;! grid = [1]
;! block = [64]
;! [[arg]]
;! name = "steps"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [0, 1, 7, 2, 5, 8, 16, 3, 19, 6, 14, 9, 9, 17, 17, 4, 12, 20, 20, 7, 7, 15, 15, 10, 23, 10, 111, 18, 18, 18, 106, 5, 26, 13, 13, 21, 21, 21, 34, 8, 109, 8, 29, 16, 16, 16, 104, 11, 24, 24, 24, 11, 11, 112, 112, 19, 32, 19, 32, 19, 19, 107, 107, 6]
;! [[arg]]
;! name = "fib"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]
;! [[arg]]
;! name = "case"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99, 10, 11, 12, 99]
;! [[arg]]
;! name = "together"
;! dtype = "u64"
;! shape = [1]
;! init = "hex:ff"
;! expect = [18446744073709551615]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)

define amdgpu_kernel void @k(ptr addrspace(1) %steps, ptr addrspace(1) %fib, ptr addrspace(1) %case, ptr addrspace(1) %together) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = add i32 %x, 1
  br label %head

head:
  %v = phi i32 [ %first, %entry ], [ %next, %latch ]
  %count = phi i32 [ 0, %entry ], [ %more, %latch ]
  %one = icmp eq i32 %v, 1
  br i1 %one, label %done, label %body

body:
  %bit = and i32 %v, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %up, label %down

up:
  %triple = mul i32 %v, 3
  %plus = add i32 %triple, 1
  br label %latch

down:
  %halved = lshr i32 %v, 1
  br label %latch

latch:
  %next = phi i32 [ %plus, %up ], [ %halved, %down ]
  %more = add i32 %count, 1
  br label %head

done:
  %all = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  store i64 %all, ptr addrspace(1) %together, align 8
  %steps.at = getelementptr i32, ptr addrspace(1) %steps, i32 %x
  store i32 %count, ptr addrspace(1) %steps.at, align 4
  %turns = and i32 %x, 15
  br label %swap

swap:
  %a = phi i32 [ 0, %done ], [ %b, %turn ]
  %b = phi i32 [ 1, %done ], [ %c, %turn ]
  %i = phi i32 [ 0, %done ], [ %i.next, %turn ]
  %enough = icmp eq i32 %i, %turns
  br i1 %enough, label %behind, label %turn

turn:
  %c = add i32 %a, %b
  %i.next = add i32 %i, 1
  br label %swap

behind:
  %fib.at = getelementptr i32, ptr addrspace(1) %fib, i32 %x
  store i32 %a, ptr addrspace(1) %fib.at, align 4
  %which = and i32 %x, 3
  switch i32 %which, label %other [
    i32 0, label %join
    i32 1, label %eleven
    i32 2, label %twelve
  ]

eleven:
  br label %join

twelve:
  br label %join

other:
  br label %join

join:
  %chosen = phi i32 [ 10, %behind ], [ 11, %eleven ], [ 12, %twelve ], [ 99, %other ]
  %case.at = getelementptr i32, ptr addrspace(1) %case, i32 %x
  store i32 %chosen, ptr addrspace(1) %case.at, align 4
  ret void
}
