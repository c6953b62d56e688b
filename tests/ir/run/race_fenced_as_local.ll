; Global memory is exchanged, and the fences are for LDS alone (`!mmra`).
;! grid = [1]
;! block = [128]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [256]

target triple = "amdgpu9.50-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 %id, ptr addrspace(1) %own, align 4  ; <<< other end
  fence syncscope("workgroup") release, !mmra !0
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire, !mmra !0
  %partner = xor i32 %id, 64
  %other = getelementptr i32, ptr addrspace(1) %out, i32 %partner
  %word = load i32, ptr addrspace(1) %other, align 4  ; <<< error[M1] missing-sync
  %behind = add i32 %id, 128
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %behind
  store i32 %word, ptr addrspace(1) %place, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

!0 = !{!"amdgpu-synchronize-as", !"local"}
