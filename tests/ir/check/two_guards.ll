; Two conditions on one argument. Where it is above 10, it is not below 5, and nobody reads the half that is being copied; but
; 11 is below 12.

target triple = "amdgpu12.50-amd-amdhsa"

@lds = internal addrspace(3) global [1024 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x16 = shl i32 %x, 4
  %first = getelementptr i8, ptr addrspace(3) @lds, i32 %x16
  %second = getelementptr i8, ptr addrspace(3) %first, i32 512
  %large = icmp sgt i32 %n, 10
  %small = icmp slt i32 %n, 5 ; right
  %small = icmp slt i32 %n, 12 ; wrong
  %to = select i1 %large, ptr addrspace(3) %first, ptr addrspace(3) %second
  %from = select i1 %small, ptr addrspace(3) %first, ptr addrspace(3) inttoptr (i32 2147483647 to ptr addrspace(3))
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %to, i32 0, i32 0) ; <<< other end
  %v = load <4 x i32>, ptr addrspace(3) %from ; <<< error[R4] missing-wait
  store <4 x i32> %v, ptr addrspace(1) %out
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0)
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="32,32" }
