; gfx1250, setting 1
; The literal is cut to 16 bits, and then the upper half of it is converted.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %pair = call <2 x float> @llvm.amdgcn.cvt.pk.f32.bf8(i32 1655095875, i1 true)
  store <2 x float> %pair, ptr addrspace(1) %out, align 4
  ret void
}
declare <2 x float> @llvm.amdgcn.cvt.pk.f32.bf8(i32, i1 immarg)

