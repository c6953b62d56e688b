; The cell counts the arrivals of one wave, and two wait for it: that is not followed.
; not checked: lds: LDS in kernel k: it has barrier cells in LDS that not every wave is known to arrive at and wait for in turns

target triple = "amdgpu12.50-amd-amdhsa"

@cell = internal addrspace(3) global i64 poison, align 8
@lds = internal addrspace(3) global [1024 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3))
declare i64 @llvm.amdgcn.ds.atomic.barrier.arrive.rtn.b64(ptr addrspace(3), i64)

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %init, label %ready
init:
  ; One arrival.
  store i64 0, ptr addrspace(3) @cell
  br label %ready
ready:
  call void @llvm.amdgcn.s.barrier()
  %at = shl i32 %x, 4
  %own = getelementptr i8, ptr addrspace(3) @lds, i32 %at
  %y = xor i32 %at, 512
  %other = getelementptr i8, ptr addrspace(3) @lds, i32 %y
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %own, i32 0, i32 0)
  %lane = and i32 %x, 31
  %leads = icmp eq i32 %lane, 0
  br i1 %leads, label %arrive, label %poll
arrive:
  call void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3) @cell)
  br label %poll
poll:
  call void @llvm.amdgcn.s.sleep(i32 1)
  %word = load i64, ptr addrspace(3) @cell
  %phase = and i64 %word, 536870912
  %again = icmp eq i64 %phase, 0
  br i1 %again, label %poll, label %done
done:
  %v = load <4 x i32>, ptr addrspace(3) %other
  store <4 x i32> %v, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
