; gfx1250, setting 2
; The offset is 16 times a number, of which only the lowest bits are wanted: LLVM lets the load multiply all of it, as if
; the product were cut to 32 bits. The CDNA5 manual (10.2, "Global Addressing") does not say that it is.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %number = add i32 %lid, -2147483647
  %low = and i32 %number, 255
  %bytes = shl nuw nsw i32 %low, 4
  %wide = zext i32 %bytes to i64
  %from = getelementptr i8, ptr addrspace(1) %in, i64 %wide
  %value = load <8 x half>, ptr addrspace(1) %from, align 2
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  %first = getelementptr i8, ptr addrspace(1) %own, i32 16
  store <8 x half> %value, ptr addrspace(1) %first, align 2
  %second = getelementptr i8, ptr addrspace(1) %own, i32 44
  store i32 %number, ptr addrspace(1) %second, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
