; Which named barrier is meant comes from memory.
; not checked: barriers: barriers in kernel k: which named barrier is meant is not known

target triple = "amdgpu12.50-amd-amdhsa"

declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))

define amdgpu_kernel void @k(ptr addrspace(1) %g) #0 {
  %bar = load ptr addrspace(3), ptr addrspace(1) %g
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) %bar)
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
