; gfx1250, setting 1
; Of three halves side by side, the second and third are -0; the second is stored with the first as if it were +0.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %first = load half, ptr addrspace(1) %in, align 16
  %zeros = fneg <2 x half> zeroinitializer
  %second = getelementptr i8, ptr addrspace(1) %out, i32 2
  store half %first, ptr addrspace(1) %out, align 4
  store <2 x half> %zeros, ptr addrspace(1) %second, align 2
  ret void
}
