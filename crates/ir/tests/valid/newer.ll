; What LLVM 23 and 24 spell and LLVM 22 does not read.
target triple = "amdgpu12.50-amd-amdhsa"

@bits = addrspace(1) global [8 x float] [float f0x3FC90FDA, float +inf, float -inf, float +qnan, float -nan(0x1), float +snan(0x2), float 1.0, float -0.0]
@halves = addrspace(1) global <2 x half> <half f0x3C00, half -inf>
@double = addrspace(1) global double f0x400921FB54442D18
@pointers = addrspace(1) global <2 x ptr addrspace(1)> splat (ptr addrspace(1) null)

declare void @llvm.amdgcn.asyncmark() #0
declare void @llvm.amdgcn.wait.asyncmark(i16 immarg) #0

define amdgpu_kernel void @kernel(ptr addrspace(1) captures(address, read_provenance) %p) #1 {
  %address = ptrtoaddr ptr addrspace(1) %p to i64
  call void @llvm.amdgcn.asyncmark()
  call void @llvm.amdgcn.wait.asyncmark(i16 0)
  ret void
}

attributes #0 = { nocallback nofree nounwind }
attributes #1 = { nocreateundeforpoison "uniform-work-group-size" }
