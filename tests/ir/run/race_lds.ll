; Two waves exchange words of LDS with a barrier between, which alone orders no memory: the fences are missing.
;! grid = [1]
;! block = [128]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [128]

target triple = "amdgpu9.50-amd-amdhsa"

@words = internal addrspace(3) global [128 x i32] poison, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i32, ptr addrspace(3) @words, i32 %id
  store i32 %id, ptr addrspace(3) %own, align 4  ; <<< other end
  call void @llvm.amdgcn.s.barrier()  ; <<< hint: `fence syncscope("workgroup") release` before
  %partner = xor i32 %id, 64
  %other = getelementptr i32, ptr addrspace(3) @words, i32 %partner
  %word = load i32, ptr addrspace(3) %other, align 4  ; <<< error[S2] missing-sync
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 %word, ptr addrspace(1) %place, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
