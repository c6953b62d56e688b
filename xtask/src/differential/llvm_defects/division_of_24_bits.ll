; gfx950, setting 1
; Numbers of 24 bits are divided as floats. The quotient, rounded twice, may reach the next integer, which nothing mends
; but where it is one too small.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %zero = and i32 %n, 8
  %narrow = trunc i32 %zero to i24
  %numerator = add i24 %narrow, 16777214
  %divisor = add i24 %narrow, 3
  %quotient = udiv i24 %numerator, %divisor
  %wide = zext i24 %quotient to i32
  store i32 %wide, ptr addrspace(1) %out, align 4
  ret void
}
