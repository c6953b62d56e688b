; The right twin of `race_sequence_lock`: all loads are atomic, and what is used was not written meanwhile.
;! grid = [2]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [4]
;! init = "zeros"
;! expect = [16, 16, 16, 0]
; schedules: 4

target triple = "amdgpu9.50-amd-amdhsa"

; [0] is odd while [1] and [2] are written.
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %one = getelementptr i32, ptr addrspace(1) %out, i32 1
  %two = getelementptr i32, ptr addrspace(1) %out, i32 2
  %three = getelementptr i32, ptr addrspace(1) %out, i32 3
  %first = icmp eq i32 %group, 0
  br i1 %first, label %write, label %read
write:
  %even = phi i32 [ 0, %entry ], [ %next, %write ]
  %odd = add i32 %even, 1
  %next = add i32 %even, 2
  store atomic i32 %odd, ptr addrspace(1) %out syncscope("agent") monotonic, align 4
  fence syncscope("agent") acq_rel
  store atomic i32 %next, ptr addrspace(1) %one syncscope("agent") monotonic, align 4
  store atomic i32 %next, ptr addrspace(1) %two syncscope("agent") monotonic, align 4
  store atomic i32 %next, ptr addrspace(1) %out syncscope("agent") release, align 4
  %full = icmp eq i32 %next, 16
  br i1 %full, label %end, label %write
read:
  %before = load atomic i32, ptr addrspace(1) %out syncscope("agent") acquire, align 4
  %bit = and i32 %before, 1
  %is.odd = icmp ne i32 %bit, 0
  br i1 %is.odd, label %read, label %data
data:
  %a = load atomic i32, ptr addrspace(1) %one syncscope("agent") monotonic, align 4
  %b = load atomic i32, ptr addrspace(1) %two syncscope("agent") monotonic, align 4
  fence syncscope("agent") acquire
  %after = load atomic i32, ptr addrspace(1) %out syncscope("agent") monotonic, align 4
  %same = icmp eq i32 %before, %after
  br i1 %same, label %use, label %read
use:
  %differ = sub i32 %a, %b
  store i32 %differ, ptr addrspace(1) %three, align 4
  ret void
end:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
