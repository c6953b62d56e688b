; The wave ends behind its arrival.

target triple = "amdgpu12.50-amd-amdhsa"

declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k(i32 %n) #0 {
  call void @llvm.amdgcn.s.barrier.signal(i32 -1)
  call void @llvm.amdgcn.s.barrier.wait(i16 -1) ; right
  ret void ; <<< warning[B7] barrier ; wrong
  ret void ; right
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
