; A ring of three buffers, of which the one that is read behind the loop is the remainder of what the kernel is given. The
; loop is gone through as often as that says, so the copy that is read is the last but one.

target triple = "amdgpu12.50-amd-amdhsa"

@lds = internal addrspace(3) global [1536 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x16 = shl i32 %x, 4
  %first = getelementptr i8, ptr addrspace(3) @lds, i32 %x16
  %second = getelementptr i8, ptr addrspace(3) %first, i32 512
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %first, i32 0, i32 0) ; <<< other end
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %second, i32 0, i32 0)
  %tiles = sdiv i32 %n, 32
  %rounds = add nsw i32 %tiles, -2
  %any = icmp sgt i32 %n, 95
  br i1 %any, label %before, label %behind
before:
  %count = call i32 @llvm.smax.i32(i32 %rounds, i32 1)
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %j, %loop ]
  %ahead = add nuw nsw i32 %i, 2
  %slot = urem i32 %ahead, 3
  %to.offset = mul nuw nsw i32 %slot, 512
  %to = getelementptr i8, ptr addrspace(3) %first, i32 %to.offset
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %to, i32 0, i32 0)
  call void @llvm.amdgcn.s.wait.asynccnt(i16 2)
  %reading = urem i32 %i, 3
  %from.offset = mul nuw nsw i32 %reading, 512
  %from = getelementptr i8, ptr addrspace(3) %first, i32 %from.offset
  %v = load <4 x i32>, ptr addrspace(3) %from
  store <4 x i32> %v, ptr addrspace(1) %out
  %j = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %j, %count
  br i1 %last, label %behind, label %loop
behind:
  call void @llvm.amdgcn.s.wait.asynccnt(i16 2) ; wrong
  call void @llvm.amdgcn.s.wait.asynccnt(i16 1) ; right
  %left = srem i32 %rounds, 3
  %left.offset = mul nsw i32 %left, 512
  %next = getelementptr i8, ptr addrspace(3) %first, i32 %left.offset
  %w = load <4 x i32>, ptr addrspace(3) %next ; <<< error[R4] missing-wait
  store <4 x i32> %w, ptr addrspace(1) %out
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0)
  %number = add nsw i32 %tiles, -1
  %end = srem i32 %number, 3
  %end.offset = mul nsw i32 %end, 512
  %final = getelementptr i8, ptr addrspace(3) %first, i32 %end.offset
  %u = load <4 x i32>, ptr addrspace(3) %final
  store <4 x i32> %u, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="32,32" }
