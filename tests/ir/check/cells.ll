; A barrier cell in LDS tells that a copy is done: that is not followed.
; not checked: lds: LDS in kernel k: barrier cells in LDS tell it that copies are done

target triple = "amdgpu12.50-amd-amdhsa"

@cell = internal addrspace(3) global i64 poison, align 8
@lds = internal addrspace(3) global [1024 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3))

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  store i64 4294967296, ptr addrspace(3) @cell
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %own = getelementptr i8, ptr addrspace(3) @lds, i32 %at
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %own, i32 0, i32 0)
  call void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3) @cell)
  br label %poll
poll:
  %word = load i64, ptr addrspace(3) @cell
  %phase = and i64 %word, 536870912
  %again = icmp eq i64 %phase, 0
  br i1 %again, label %poll, label %done
done:
  %v = load <4 x i32>, ptr addrspace(3) %own
  store <4 x i32> %v, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="32,32" }
