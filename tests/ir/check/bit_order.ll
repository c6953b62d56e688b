; Each wave writes where its number says, read backwards: the first at 0, the second at 32, the third at 16, the fourth at 48.
; What is read is that of the third.

target triple = "amdgpu12.50-amd-amdhsa"

@lds = internal addrspace(3) global [64 x i8] poison, align 16

declare i32 @llvm.amdgcn.wave.id()
declare i6 @llvm.bitreverse.i6(i6)
declare void @llvm.amdgcn.s.barrier()

define amdgpu_kernel void @k(ptr addrspace(1) %out) #0 {
  %wave = call i32 @llvm.amdgcn.wave.id()
  %number = trunc i32 %wave to i6
  %reversed = call i6 @llvm.bitreverse.i6(i6 %number)
  %at = zext i6 %reversed to i32
  %own = getelementptr i8, ptr addrspace(3) @lds, i32 %at
  store i32 1, ptr addrspace(3) %own ; <<< other end
  call void @llvm.amdgcn.s.barrier() ; right
  %there = getelementptr i8, ptr addrspace(3) @lds, i32 16
  %v = load i32, ptr addrspace(3) %there ; <<< error[S2] missing-sync
  store i32 %v, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="128,128" }
