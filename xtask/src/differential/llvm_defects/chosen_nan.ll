; gfx1250, setting 0
; One of the two that are chosen from is a NaN, once 0 / 0 is computed; `fcmp uno` of the choice is taken for false.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %zero = insertelement <2 x double> zeroinitializer, double 0.0, i32 0
  %nan = fdiv <2 x double> %zero, %zero
  %even = trunc i32 %n to i1
  %which = insertelement <2 x i1> zeroinitializer, i1 %even, i32 0
  %chosen = select <2 x i1> %which, <2 x double> zeroinitializer, <2 x double> %nan
  %unordered = fcmp uno <2 x double> %chosen, %chosen
  %number = select <2 x i1> %unordered, <2 x double> <double 2.0, double -1.0>, <2 x double> %chosen
  store <2 x double> %number, ptr addrspace(1) %out, align 8
  ret void
}
