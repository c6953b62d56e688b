; A flag is set without a release, so that it says nothing of the data.
;! grid = [2]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [3]
;! init = "zeros"

target triple = "amdgpu9.50-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %data = getelementptr i32, ptr addrspace(1) %out, i32 1
  %first = icmp eq i32 %group, 0
  br i1 %first, label %produce, label %poll
produce:
  store i32 42, ptr addrspace(1) %data, align 4  ; <<< other end
  store atomic i32 1, ptr addrspace(1) %out syncscope("agent") monotonic, align 4  ; <<< hint: `fence syncscope("agent") release` before
  ret void
poll:
  %ready = load atomic i32, ptr addrspace(1) %out syncscope("agent") acquire, align 4
  %go = icmp eq i32 %ready, 1
  br i1 %go, label %consume, label %poll
consume:
  %word = load i32, ptr addrspace(1) %data, align 4  ; <<< error[M1] missing-sync
  %place = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %word, ptr addrspace(1) %place, align 4
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
