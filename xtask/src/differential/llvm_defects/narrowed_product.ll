; gfx1250, setting 1
; 16 times the low bits of a number: the product is made in 32 bits, where the high bit of the number is lost and needs no
; mask. `v_mad_co_u64_u32` multiplies in 64 bits then.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %number = add i32 %lid, -2147483647
  %low = and i32 %number, 255
  %wide = zext i32 %low to i64
  %bytes = mul nuw nsw i64 %wide, 16
  %from = getelementptr i8, ptr addrspace(1) %in, i64 %bytes
  %value = load <3 x float>, ptr addrspace(1) %from, align 16
  %first = extractelement <3 x float> %value, i32 0
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  store float %first, ptr addrspace(1) %own, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()

