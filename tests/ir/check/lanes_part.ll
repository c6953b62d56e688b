; Lanes of one wave part to two barriers.
; not checked: barriers: barriers in kernel k: lanes of one wave part before a barrier

target triple = "amdgpu12.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

define amdgpu_kernel void @k(i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 16
  br i1 %c, label %meets, label %other
meets:
  call void @llvm.amdgcn.s.barrier()
  br label %end
other:
  call void @llvm.amdgcn.s.barrier()
  br label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
