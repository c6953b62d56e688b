; gfx950, setting 0
; 0 - x becomes -x, which is another zero where x is one.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %x = load half, ptr addrspace(1) %in, align 16
  %greater = fcmp ugt half %x, %x
  %raw = sitofp i1 %greater to bfloat
  %unordered = fcmp uno bfloat %raw, %raw
  %zero = select i1 %unordered, bfloat 1024.0, bfloat %raw
  %vector = insertelement <4 x bfloat> zeroinitializer, bfloat %zero, i32 0
  %difference = fsub <4 x bfloat> zeroinitializer, %vector
  store <4 x bfloat> %difference, ptr addrspace(1) %out, align 2
  ret void
}
