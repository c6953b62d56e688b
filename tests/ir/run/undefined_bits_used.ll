; The same words where the bits that nobody wrote matter.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [4]
;! init = "zeros"

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %x
  %place = alloca i32, align 4, addrspace(5)
  store i8 103, ptr addrspace(5) %place, align 1
  %word = load i32, ptr addrspace(5) %place, align 4
  %ninth = and i32 %word, 256
  %set = icmp ne i32 %ninth, 0
  br i1 %set, label %then, label %next  ; <<< 1 error[V1] uninitialized
then:
  br label %next
next:
  %low = and i32 %word, 511
  %near = icmp ult i32 %low, 200
  br i1 %near, label %more, label %last  ; <<< 2 error[V1] uninitialized
more:
  br label %last
last:
  %carried = add i32 %word, 1
  %index = lshr i32 %carried, 8
  %far = getelementptr i32, ptr addrspace(1) %out, i32 %index
  store i32 1, ptr addrspace(1) %far, align 4  ; <<< 3 error[V1] uninitialized
  %divisor = and i32 %word, 65280
  %quotient = udiv i32 8, %divisor  ; <<< 4 error[V3] trap
  ret void
}
