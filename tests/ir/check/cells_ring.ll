; Two buffers and a cell for each, in a loop that begins the next copy before it waits for the one before. A phase is waited for by
; its parity. An arrival when copies are done tells of copies alone: what has been read is not behind it, so that there is a
; barrier before a buffer is filled again.

target triple = "amdgpu12.50-amd-amdhsa"

@cells = internal addrspace(3) global [2 x i64] poison, align 8
@lds = internal addrspace(3) global [2048 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3))

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %rounds) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %init, label %ready
init:
  ; Every work-item arrives.
  store i64 270582939711, ptr addrspace(3) @cells
  store i64 270582939711, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @cells, i32 8)
  br label %ready
ready:
  call void @llvm.amdgcn.s.barrier()
  %at = shl i32 %x, 4
  %own = getelementptr i8, ptr addrspace(3) @lds, i32 %at
  %y = xor i32 %at, 512
  %other = getelementptr i8, ptr addrspace(3) @lds, i32 %y
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %own, i32 0, i32 0)
  call void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3) @cells)
  br label %head
head:
  %round = phi i32 [ 0, %ready ], [ %next, %behind ]
  %next = add i32 %round, 1
  %this.buffer = and i32 %round, 1
  %next.buffer = and i32 %next, 1
  %next.offset = shl i32 %next.buffer, 10
  %to = getelementptr i8, ptr addrspace(3) %own, i32 %next.offset
  call void @llvm.amdgcn.s.barrier() ; right
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %to, i32 0, i32 0) ; right
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %in, ptr addrspace(3) %to, i32 0, i32 0) ; <<< error[S2] missing-sync ; wrong
  %next.cell = getelementptr i64, ptr addrspace(3) @cells, i32 %next.buffer
  call void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3) %next.cell)
  %this.cell = getelementptr i64, ptr addrspace(3) @cells, i32 %this.buffer
  %turn = lshr i32 %round, 1
  br label %poll
poll:
  %word = load i64, ptr addrspace(3) %this.cell
  %low = trunc i64 %word to i32
  %phase = lshr i32 %low, 29
  %differs = xor i32 %phase, %turn
  %parity = and i32 %differs, 1
  %again = icmp eq i32 %parity, 0
  br i1 %again, label %poll, label %behind
behind:
  %this.offset = shl i32 %this.buffer, 10
  %from = getelementptr i8, ptr addrspace(3) %other, i32 %this.offset
  %v = load <4 x i32>, ptr addrspace(3) %from ; <<< other end
  store <4 x i32> %v, ptr addrspace(1) %out
  %more = icmp ult i32 %next, %rounds
  br i1 %more, label %head, label %drain
drain:
  %last.cell = getelementptr i64, ptr addrspace(3) @cells, i32 %next.buffer
  %last.turn = lshr i32 %next, 1
  br label %last
last:
  %last.word = load i64, ptr addrspace(3) %last.cell
  %last.low = trunc i64 %last.word to i32
  %last.phase = lshr i32 %last.low, 29
  %last.differs = xor i32 %last.phase, %last.turn
  %last.parity = and i32 %last.differs, 1
  %last.again = icmp eq i32 %last.parity, 0
  br i1 %last.again, label %last, label %done
done:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
