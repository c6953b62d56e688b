; `inbounds`, `nusw` and `nuw` are arithmetic: nothing of an address may wrap, at no step.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [64]
;! init = "zeros"

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %wide = zext i32 %x to i64
  ; Forwards and back: each step is within the address space.
  %there = getelementptr inbounds [4 x i32], ptr addrspace(1) %out, i64 2, i64 %wide
  %back = sub i64 0, %wide
  %and.back = getelementptr inbounds i32, ptr addrspace(1) %there, i64 %back
  store i32 1, ptr addrspace(1) %and.back, align 4
  ; The sum is what it is without the flag, but the first product alone is too large for a signed number.
  %large = shl i64 1, 60
  %least = sub i64 0, %large
  %plain = getelementptr [4 x i32], ptr addrspace(1) %out, i64 %large, i64 0
  store i32 2, ptr addrspace(1) %plain, align 4
  %wraps = getelementptr inbounds [4 x i32], ptr addrspace(1) %out, i64 %large, i64 0
  store i32 2, ptr addrspace(1) %wraps, align 4  ; <<< 1 error[V1] uninitialized
  ; An address below 0, though nothing is multiplied.
  %address = ptrtoint ptr addrspace(1) %out to i64
  %below = sub i64 -4, %address
  %under = getelementptr nusw i8, ptr addrspace(1) %out, i64 %below
  %under.back = getelementptr i8, ptr addrspace(1) %under, i64 4
  %same = sub i64 0, %below
  %home = getelementptr i8, ptr addrspace(1) %under.back, i64 %address
  store i32 3, ptr addrspace(1) %home, align 4  ; <<< 2 error[V1] uninitialized
  ; Without a sign, -1 is a large number.
  %one = getelementptr i32, ptr addrspace(1) %out, i64 1
  %minus = getelementptr nuw i8, ptr addrspace(1) %one, i64 -4
  store i32 4, ptr addrspace(1) %minus, align 4  ; <<< 3 error[V1] uninitialized
  ret void
}
