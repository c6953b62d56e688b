; Which half of what the other wave has copied is read depends on an argument. Both halves are of one copy, which must be done,
; whichever it is.

target triple = "amdgpu12.50-amd-amdhsa"

@lds = internal addrspace(3) global [1024 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %own = getelementptr i8, ptr addrspace(3) @lds, i32 %at
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %own, i32 0, i32 0) ; <<< other end
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0) ; right
  call void @llvm.amdgcn.s.barrier() ; <<< other end
  %half = urem i32 %n, 2
  %offset = shl nsw i32 %half, 8
  %first = getelementptr i8, ptr addrspace(3) @lds, i32 %offset
  %lane = and i32 %x, 31
  %wave = and i32 %x, 32
  %other = xor i32 %wave, 32
  %part = shl i32 %other, 4
  %word = shl i32 %lane, 2
  %from = or i32 %part, %word
  %there = getelementptr i8, ptr addrspace(3) %first, i32 %from
  %v = load i32, ptr addrspace(3) %there ; <<< error[R4] missing-wait
  store i32 %v, ptr addrspace(1) %out
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0) ; wrong
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
