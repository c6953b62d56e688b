; Values of other lanes: a ballot, one lane's value, a permutation, DPP with a bound, a swap of halves.
;! grid = [1]
;! block = [64]
;! [[arg]]
;! name = "odd"
;! dtype = "u64"
;! shape = [1]
;! init = "hex:ff"
;! expect = [12297829382473034410]
;! [[arg]]
;! name = "third"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]
;! [[arg]]
;! name = "rotated"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0]
;! [[arg]]
;! name = "shifted"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -1, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -1, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, -1, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, -1]
;! [[arg]]
;! name = "swapped"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare { i32, i32 } @llvm.amdgcn.permlane32.swap(i32, i32, i1 immarg, i1 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %odd, ptr addrspace(1) %third, ptr addrspace(1) %rotated, ptr addrspace(1) %shifted, ptr addrspace(1) %swapped) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = trunc i32 %x to i1
  %set = call i64 @llvm.amdgcn.ballot.i64(i1 %bit)
  store i64 %set, ptr addrspace(1) %odd, align 8
  %three = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 3)
  %third.at = getelementptr i32, ptr addrspace(1) %third, i32 %x
  store i32 %three, ptr addrspace(1) %third.at, align 4
  %next = add i32 %x, 1
  %byte = shl i32 %next, 2
  %theirs = call i32 @llvm.amdgcn.ds.bpermute(i32 %byte, i32 %x)
  %rotated.at = getelementptr i32, ptr addrspace(1) %rotated, i32 %x
  store i32 %theirs, ptr addrspace(1) %rotated.at, align 4
  %row = call i32 @llvm.amdgcn.update.dpp.i32(i32 -1, i32 %x, i32 257, i32 15, i32 15, i1 false)
  %shifted.at = getelementptr i32, ptr addrspace(1) %shifted, i32 %x
  store i32 %row, ptr addrspace(1) %shifted.at, align 4
  %other = add i32 %x, 100
  %pair = call { i32, i32 } @llvm.amdgcn.permlane32.swap(i32 %x, i32 %other, i1 false, i1 false)
  %lower = extractvalue { i32, i32 } %pair, 0
  %swapped.at = getelementptr i32, ptr addrspace(1) %swapped, i32 %x
  store i32 %lower, ptr addrspace(1) %swapped.at, align 4
  ret void
}
