; Assembly text without an instruction gives back what it is given, and orders nothing; rows that are gathered lie in LDS
; where the descriptor says, whatever rows of global memory they are. What the other wave has gathered is read.

target triple = "amdgpu12.50-amd-amdhsa"

@lds = internal addrspace(3) global [1024 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.wait.tensorcnt(i16 immarg)
declare void @llvm.amdgcn.tensor.load.to.lds(<4 x i32>, <8 x i32>, <4 x i32>, <4 x i32>, <8 x i32>, i32 immarg)

; Two rows of 64 dwords for each wave.
define amdgpu_kernel void @k(ptr addrspace(1) %out, <4 x i32> %rows) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %wave = lshr i32 %x, 5
  %own = shl i32 %wave, 9
  %vector = insertelement <4 x i32> <i32 -2147483647, i32 poison, i32 0, i32 -2147483648>, i32 %own, i64 1
  %scalar = call <4 x i32> asm sideeffect "; %0", "=s,0"(<4 x i32> %vector)
  call void asm sideeffect "", "~{memory}"()
  call void @llvm.amdgcn.tensor.load.to.lds(<4 x i32> %scalar, <8 x i32> <i32 131072, i32 4194304, i32 4194304, i32 4194304, i32 2, i32 64, i32 0, i32 0>, <4 x i32> %rows, <4 x i32> %rows, <8 x i32> zeroinitializer, i32 0) ; <<< other end
  call void @llvm.amdgcn.s.wait.tensorcnt(i16 0) ; right
  call void @llvm.amdgcn.s.barrier() ; <<< other end
  %other = xor i32 %own, 512
  %lane = and i32 %x, 31
  %byte = shl i32 %lane, 4
  %at = or i32 %other, %byte
  %there = getelementptr i8, ptr addrspace(3) @lds, i32 %at
  %v = load <4 x i32>, ptr addrspace(3) %there ; <<< error[R4] missing-wait
  store <4 x i32> %v, ptr addrspace(1) %out
  call void @llvm.amdgcn.s.wait.tensorcnt(i16 0) ; wrong
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
