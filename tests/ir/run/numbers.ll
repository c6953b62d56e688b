; Formats, conversions, and special numbers: x/3 in f32, its f16 and bf16 roundings, x as a saturated integer.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "third"
;! dtype = "f32"
;! shape = [4]
;! init = "hex:ff"
;! expect = [0, 0.3333333432674408, 0.6666666865348816, 1.0]
;! [[arg]]
;! name = "half"
;! dtype = "f16"
;! shape = [4]
;! init = "hex:ff"
;! expect = [0, 0.333251953125, 0.66650390625, 1.0]
;! [[arg]]
;! name = "bf"
;! dtype = "bf16"
;! shape = [4]
;! init = "hex:ff"
;! expect = [0, 0.333984375, 0.66796875, 1.0]
;! [[arg]]
;! name = "int"
;! dtype = "i32"
;! shape = [4]
;! init = "hex:ff"
;! expect = [0, 2147483647, 2147483647, 2147483647]
;! [[arg]]
;! name = "most"
;! dtype = "f32"
;! shape = [4]
;! init = "hex:ff"
;! expect = [0, 1, 2, 2]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare float @llvm.minnum.f32(float, float)

define amdgpu_kernel void @k(ptr addrspace(1) %third, ptr addrspace(1) %half, ptr addrspace(1) %bf, ptr addrspace(1) %int, ptr addrspace(1) %most) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %f = uitofp i32 %x to float
  %q = fdiv float %f, 3.000000e+00
  %third.at = getelementptr float, ptr addrspace(1) %third, i32 %x
  store float %q, ptr addrspace(1) %third.at, align 4
  %h = fptrunc float %q to half
  %half.at = getelementptr half, ptr addrspace(1) %half, i32 %x
  store half %h, ptr addrspace(1) %half.at, align 2
  %b = fptrunc float %q to bfloat
  %bf.at = getelementptr bfloat, ptr addrspace(1) %bf, i32 %x
  store bfloat %b, ptr addrspace(1) %bf.at, align 2
  %big = fmul float %f, 0x4270000000000000
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %big)
  %int.at = getelementptr i32, ptr addrspace(1) %int, i32 %x
  store i32 %i, ptr addrspace(1) %int.at, align 4
  %three = fcmp oeq float %f, 3.000000e+00
  %nan = select i1 %three, float 0x7FF8000000000000, float %f
  %m = call float @llvm.minnum.f32(float %nan, float 2.000000e+00)
  %most.at = getelementptr float, ptr addrspace(1) %most, i32 %x
  store float %m, ptr addrspace(1) %most.at, align 4
  ret void
}
