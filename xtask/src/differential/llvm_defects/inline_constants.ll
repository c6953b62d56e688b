; gfx1250, setting 1
; The constant 2.0 of `v_pk_add_bf16` is taken from the lower half of the operand. The CDNA5 manual says that it stands in
; the upper half: "BF16 instructions using inline constants must use OPSEL to select the upper 16 bits".
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %f = sitofp i32 %lid to bfloat
  %one = insertelement <2 x bfloat> poison, bfloat %f, i32 0
  %two = insertelement <2 x bfloat> %one, bfloat %f, i32 1
  %sum = fadd <2 x bfloat> %two, <bfloat 2.0, bfloat 2.0>
  %offset = mul i32 %lid, 512
  %place = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  store <2 x bfloat> %sum, ptr addrspace(1) %place, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()

