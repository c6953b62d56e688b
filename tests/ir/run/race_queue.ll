; A workgroup fills two slots in turn and does not ask whether the other one has taken what is in them: it shows only where
; the two run side by side.
;! grid = [2]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [16]
;! init = "zeros"
; schedules: 4

target triple = "amdgpu9.50-amd-amdhsa"

; [0] and [1] are the slots, [2] says how many words are there, [3] how many are taken, behind [8] they arrive.
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %there = getelementptr i32, ptr addrspace(1) %out, i32 2
  %taken = getelementptr i32, ptr addrspace(1) %out, i32 3
  %first = icmp eq i32 %group, 0
  br i1 %first, label %room, label %poll
room:
  %in = phi i32 [ 0, %entry ], [ %put, %produce ]
  br label %produce
produce:
  %slot.in = and i32 %in, 1
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %slot.in
  %word = add i32 %in, 100
  store i32 %word, ptr addrspace(1) %to, align 4  ; <<< error[M1] missing-sync
  %put = add i32 %in, 1
  store atomic i32 %put, ptr addrspace(1) %there syncscope("agent") release, align 4
  %full = icmp eq i32 %put, 6
  br i1 %full, label %end, label %room
poll:
  %out.at = phi i32 [ 0, %entry ], [ %out.at, %poll ], [ %got, %consume ]
  %number = load atomic i32, ptr addrspace(1) %there syncscope("agent") acquire, align 4
  %is.there = icmp sgt i32 %number, %out.at
  br i1 %is.there, label %consume, label %poll
consume:
  %slot.out = and i32 %out.at, 1
  %from = getelementptr i32, ptr addrspace(1) %out, i32 %slot.out
  %taken.word = load i32, ptr addrspace(1) %from, align 4  ; <<< other end
  %behind = add i32 %out.at, 8
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %behind
  store i32 %taken.word, ptr addrspace(1) %place, align 4
  %got = add i32 %out.at, 1
  store atomic i32 %got, ptr addrspace(1) %taken syncscope("agent") release, align 4
  %empty = icmp eq i32 %got, 6
  br i1 %empty, label %end, label %poll
end:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
