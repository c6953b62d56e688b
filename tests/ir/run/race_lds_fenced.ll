; The right twin of `race_lds`: the barrier stands between fences.
;! grid = [1]
;! block = [128]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [128]
;! expect = [64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]

target triple = "amdgpu9.50-amd-amdhsa"

@words = internal addrspace(3) global [128 x i32] poison, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i32, ptr addrspace(3) @words, i32 %id
  store i32 %id, ptr addrspace(3) %own, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %partner = xor i32 %id, 64
  %other = getelementptr i32, ptr addrspace(3) @words, i32 %partner
  %word = load i32, ptr addrspace(3) %other, align 4
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 %word, ptr addrspace(1) %place, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
