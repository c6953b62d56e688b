; Calls of what is no such function, and intrinsics.
target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @f(i32)
declare fastcc void @fast()
declare i32 @llvm.amdgcn.workitem.id.w() ; <<< intrinsic-name
declare i64 @llvm.amdgcn.workitem.id.x() ; <<< intrinsic-type
declare i32 @llvm.smax.i64(i32, i32) ; <<< intrinsic-type
declare float @llvm.smin.f32(float, float) ; <<< intrinsic-type
declare void @llvm.amdgcn.wait.asyncmark(i16 immarg)
declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare void @llvm.amdgcn.raw.ptr.buffer.load.async.lds(ptr addrspace(8), ptr addrspace(3), i32 immarg, i32, i32, i32 immarg, i32 immarg)

define amdgpu_kernel void @kernel() {
  ret void
}

define void @calls(i16 %n, ptr addrspace(8) %r, ptr addrspace(3) %l) {
  %1 = call i64 @f(i64 0) ; <<< call
  call void @fast() ; <<< call
  call fastcc void @fast()
  call amdgpu_kernel void @kernel() ; <<< kernel
  call void @llvm.amdgcn.wait.asyncmark(i16 %n) ; <<< immarg
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0) ; <<< intrinsic-processor
  %2 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 1, i32 280, i32 16, i32 15, i1 false) ; <<< immarg
  call void @llvm.amdgcn.raw.ptr.buffer.load.async.lds(ptr addrspace(8) %r, ptr addrspace(3) %l, i32 8, i32 0, i32 0, i32 0, i32 0) ; <<< immarg
  ret void
}
