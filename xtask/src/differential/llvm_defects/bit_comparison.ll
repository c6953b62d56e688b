; gfx1250, setting 2
; The index is compared with 0 and with 1: of the two comparisons of its lowest bit, one is used for both.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %index = urem i32 %n, 2
  %vector = insertelement <2 x i64> zeroinitializer, i64 -1, i32 %index
  store <2 x i64> %vector, ptr addrspace(1) %out, align 8
  ret void
}

