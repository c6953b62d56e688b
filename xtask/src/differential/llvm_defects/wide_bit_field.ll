; gfx950, setting 0
; Of the width of a bit field, `v_bfe_u32` reads the low 5 bits (LLVM's optimiser says so, too); `s_bfe_u32`, which LLVM takes
; where nothing differs between lanes, reads 7 of what it is given.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %field = call i32 @llvm.amdgcn.ubfe.i32(i32 -2147483647, i32 0, i32 2147483647)
  store i32 %field, ptr addrspace(1) %out, align 4
  ret void
}
declare i32 @llvm.amdgcn.ubfe.i32(i32, i32, i32)

