; What one barrier would order is one mistake, however many words there are.
;! grid = [1]
;! block = [128]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [128]
;! init = "zeros"

target triple = "amdgpu9.50-amd-amdhsa"

@words = internal addrspace(3) global [128 x i32] poison, align 4
@more = internal addrspace(3) global [128 x i32] poison, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %partner = xor i32 %id, 64
  %own = getelementptr i32, ptr addrspace(3) @words, i32 %id
  %own.more = getelementptr i32, ptr addrspace(3) @more, i32 %id
  %other = getelementptr i32, ptr addrspace(3) @words, i32 %partner
  %other.more = getelementptr i32, ptr addrspace(3) @more, i32 %partner
  store i32 1, ptr addrspace(3) %other, align 4
  store i32 1, ptr addrspace(3) %other.more, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store i32 2, ptr addrspace(3) %own, align 4  ; <<< other end <<< hint: a barrier that all waves of the workgroup come to
  store i32 3, ptr addrspace(3) %own.more, align 4  ; <<< other end
  %word = load i32, ptr addrspace(3) %other, align 4  ; <<< error[S2] missing-sync
  %another = load i32, ptr addrspace(3) %other.more, align 4  ; <<< error[S2] missing-sync
  %sum = add i32 %word, %another
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 %sum, ptr addrspace(1) %place, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
