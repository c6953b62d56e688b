; gfx950, setting 0
; The divisor has 15 bits, and of the quotient as many are kept: the numerator, all ones, has 32.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %low = and i32 %n, 32766
  %divisor = or i32 %low, 1
  %quotient = udiv i32 -1, %divisor
  store i32 %quotient, ptr addrspace(1) %out, align 4
  ret void
}
