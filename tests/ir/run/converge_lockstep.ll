; A lane reads what its neighbour has written, and nothing orders the two but that a wave is in lockstep.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [4]
;! init = "zeros"
;! expect = [11, 12, 13, 10]
; adversarial: differs

target triple = "amdgpu9.50-amd-amdhsa"

@lds = internal addrspace(3) global [4 x i32] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 0, ptr addrspace(3) %mine, align 4
  %ten = add i32 %x, 10
  store i32 %ten, ptr addrspace(3) %mine, align 4
  %next = add i32 %x, 1
  %around = and i32 %next, 3
  %theirs = getelementptr i32, ptr addrspace(3) @lds, i32 %around
  %value = load i32, ptr addrspace(3) %theirs, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %value, ptr addrspace(1) %to, align 4
  ret void
}
