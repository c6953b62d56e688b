; gfx950, setting 0
; An integer becomes a float, and that a bfloat: two roundings instead of one.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  %wide = zext i32 %lid to i64
  %high = add i64 %wide, 4311744513
  %number = sitofp i64 %high to bfloat
  store bfloat %number, ptr addrspace(1) %own, align 2
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
