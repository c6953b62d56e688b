; Accesses out of bounds, and one that is less aligned than it says.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [4]
;! init = "zeros"
;! expect = [0, 7, 7, 7]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
@lds = internal addrspace(3) global [4 x i32] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %next = add i32 %x, 1
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %next
  store i32 7, ptr addrspace(1) %at, align 4  ; <<< error[O1] out-of-bounds
  %there = getelementptr i32, ptr addrspace(3) @lds, i32 %next
  store i32 7, ptr addrspace(3) %there, align 4  ; <<< 2 error[O1] out-of-bounds
  %odd = getelementptr i8, ptr addrspace(3) @lds, i32 %x
  store i8 7, ptr addrspace(3) %odd, align 4  ; <<< 3 error[O2] hazard
  ret void
}
