; Two waves: LDS with a barrier between, atomics on LDS and global memory, flat pointers.
;! grid = [1]
;! block = [128]
;! [[arg]]
;! name = "reversed"
;! dtype = "i32"
;! shape = [128]
;! init = "hex:ff"
;! expect = [127, 126, 125, 124, 123, 122, 121, 120, 119, 118, 117, 116, 115, 114, 113, 112, 111, 110, 109, 108, 107, 106, 105, 104, 103, 102, 101, 100, 99, 98, 97, 96, 95, 94, 93, 92, 91, 90, 89, 88, 87, 86, 85, 84, 83, 82, 81, 80, 79, 78, 77, 76, 75, 74, 73, 72, 71, 70, 69, 68, 67, 66, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
;! [[arg]]
;! name = "sum"
;! dtype = "i32"
;! shape = [1]
;! init = "hex:ff"
;! expect = [8127]
;! [[arg]]
;! name = "most"
;! dtype = "i32"
;! shape = [1]
;! init = "hex:ff"
;! expect = [127]
;! [[arg]]
;! name = "flat"
;! dtype = "i32"
;! shape = [128]
;! init = "hex:ff"
;! expect = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
@lds = internal addrspace(3) global [128 x i32] undef, align 4
@total = internal addrspace(3) global i32 undef, align 4

declare void @llvm.amdgcn.s.barrier()

define amdgpu_kernel void @k(ptr addrspace(1) %reversed, ptr addrspace(1) %sum, ptr addrspace(1) %most, ptr addrspace(1) %flat) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr [128 x i32], ptr addrspace(3) @lds, i32 0, i32 %x
  store i32 %x, ptr addrspace(3) %own, align 4
  %first = icmp eq i32 %x, 0
  br i1 %first, label %clear, label %ready

clear:
  store i32 0, ptr addrspace(3) @total, align 4
  br label %ready

ready:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = sub i32 127, %x
  %there = getelementptr [128 x i32], ptr addrspace(3) @lds, i32 0, i32 %other
  %value = load i32, ptr addrspace(3) %there, align 4
  %at = getelementptr i32, ptr addrspace(1) %reversed, i32 %x
  store i32 %value, ptr addrspace(1) %at, align 4
  %before = atomicrmw add ptr addrspace(3) @total, i32 1 syncscope("workgroup") monotonic
  %a = atomicrmw add ptr addrspace(1) %sum, i32 %x syncscope("agent") monotonic
  %b = atomicrmw max ptr addrspace(1) %most, i32 %x syncscope("agent") monotonic
  %generic = addrspacecast ptr addrspace(3) %own to ptr
  %again = load i32, ptr %generic, align 4
  %five = add i32 %again, 5
  %flat.at = getelementptr i32, ptr addrspace(1) %flat, i32 %x
  %flat.generic = addrspacecast ptr addrspace(1) %flat.at to ptr
  store i32 %five, ptr %flat.generic, align 4
  ret void
}
