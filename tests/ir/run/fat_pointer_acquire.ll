; What an acquire through a fat pointer orders is not followed.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "data"
;! dtype = "i32"
;! shape = [4]
;! init = "zeros"
; refused: :17:3: an acquire or release through a buffer fat pointer

target triple = "amdgpu9.50-amd-amdhsa"

declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %data) {
  %resource = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %data, i16 0, i64 16, i32 159744)
  %fat = addrspacecast ptr addrspace(8) %resource to ptr addrspace(7)
  %flag = load atomic i32, ptr addrspace(7) %fat syncscope("agent") acquire, align 4
  ret void
}
