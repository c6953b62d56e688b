; gfx950, setting 0
; -0 in the upper half of a register becomes +0.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %number = add i32 0, 0
  br label %next
next:
  %f = sitofp i32 %number to half
  %vector = insertelement <3 x half> <half -1.0, half -0.0, half 0xH7C00>, half %f, i32 0
  %unordered = fcmp uno <3 x half> %vector, %vector
  %numbers = select <3 x i1> %unordered, <3 x half> <half -2.5, half 256.0, half 1.0>, <3 x half> %vector
  br i1 false, label %more, label %last
more:
  br label %last
last:
  store <3 x half> %numbers, ptr addrspace(1) %out, align 2
  ret void
}
