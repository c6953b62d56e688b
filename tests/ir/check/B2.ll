; A named barrier for nobody.

target triple = "amdgpu12.50-amd-amdhsa"

@bar = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison

declare void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)

define amdgpu_kernel void @k(i32 %n) #0 {
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 0) ; <<< error[B2] barrier ; wrong
  call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) @bar, i32 2) ; right
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
