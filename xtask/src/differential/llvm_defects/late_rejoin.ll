; gfx1250, setting 0
; Behind the loop, what is computed first is computed before the lanes are brought together again: while none is active.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  %private = alloca [64 x i8], align 16, addrspace(5)
  switch i32 0, label %one [ i32 0, label %other ]
one:
  br label %before
other:
  br label %before
before:
  br label %head
head:
  %turn = phi i32 [ 0, %before ], [ %next, %head ]
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, %lid
  br i1 %more, label %head, label %exit
exit:
  %mean = call i32 @llvm.amdgcn.lerp(i32 %lid, i32 %lid, i32 0)
  %flat = addrspacecast ptr addrspace(5) %private to ptr
  store bfloat 0.0, ptr %flat, align 2
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %number = sitofp i32 %n to float
  %root = call float @llvm.sqrt.f32(float %number)
  %whole = call i16 @llvm.fptoui.sat.i16.f32(float %root)
  %low = trunc i32 %mean to i16
  %pair = insertelement <2 x i16> <i16 -32767, i16 1024>, i16 %low, i32 0
  %first = getelementptr i8, ptr addrspace(1) %own, i32 16
  store <2 x i16> %pair, ptr addrspace(1) %first, align 2
  %second = getelementptr i8, ptr addrspace(1) %own, i32 20
  store i16 %whole, ptr addrspace(1) %second, align 2
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.lerp(i32, i32, i32)
declare void @llvm.amdgcn.s.barrier()
declare float @llvm.sqrt.f32(float)
declare i16 @llvm.fptoui.sat.i16.f32(float)

