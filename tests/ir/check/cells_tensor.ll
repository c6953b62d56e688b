; Each wave moves its part of two tiles, and each tensor operation arrives at a cell of its own when it is done. What another wave has
; moved is read behind the second cell; the first one tells nothing of the second tile. The operations of a wave are done in
; order: the second cell tells of the first tile, too.

target triple = "amdgpu12.50-amd-amdhsa"

@cells = internal addrspace(3) global [2 x i64] poison, align 8
@lds = internal addrspace(3) global [512 x i8] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.wave.id()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %wave = call i32 @llvm.amdgcn.wave.id()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %init, label %ready
init:
  ; Two waves arrive at each.
  store i64 4294967297, ptr addrspace(3) @cells
  store i64 4294967297, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @cells, i32 8)
  br label %ready
ready:
  call void @llvm.amdgcn.s.barrier()
  %from = ptrtoint ptr addrspace(1) %in to i64
  %low = trunc i64 %from to i32
  %upper = lshr i64 %from, 32
  %high = trunc i64 %upper to i32
  %kind = or i32 %high, -2147483648
  %part = shl i32 %wave, 7
  %to = ptrtoint ptr addrspace(3) @lds to i32
  %to.first = add i32 %to, %part
  %to.second = add i32 %to.first, 256
  %g0.count = insertelement <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>, i32 %low, i64 2
  %g0.all = insertelement <4 x i32> %g0.count, i32 %kind, i64 3
  %g0.first = insertelement <4 x i32> %g0.all, i32 %to.first, i64 1
  %g0.second = insertelement <4 x i32> %g0.all, i32 %to.second, i64 1
  ; A row of 32 elements of four bytes.
  %cell.first = lshr exact i32 ptrtoint (ptr addrspace(3) @cells to i32), 3
  %cell.second = lshr exact i32 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @cells, i32 8) to i32), 3
  %size.first = or disjoint i32 %cell.first, 2097152
  %size.second = or disjoint i32 %cell.second, 2097152
  %g1.first = insertelement <8 x i32> <i32 393216, i32 poison, i32 65536, i32 2097152, i32 1, i32 32, i32 0, i32 0>, i32 %size.first, i64 1
  %g1.second = insertelement <8 x i32> <i32 393216, i32 poison, i32 65536, i32 2097152, i32 1, i32 32, i32 0, i32 0>, i32 %size.second, i64 1
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %g0.first, <8 x i32> %g1.first, i32 0)
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %g0.second, <8 x i32> %g1.second, i32 0) ; <<< other end
  br label %poll
poll:
  call void @llvm.amdgcn.s.sleep(i32 1)
  %word = load i64, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @cells, i32 8) ; right
  %word = load i64, ptr addrspace(3) @cells ; wrong
  %phase = and i64 %word, 536870912
  %again = icmp eq i64 %phase, 0
  br i1 %again, label %poll, label %done
done:
  %at = shl i32 %x, 2
  %y = xor i32 %at, 128
  %other = getelementptr i8, ptr addrspace(3) @lds, i32 %y
  %v = load i32, ptr addrspace(3) %other
  %beyond = getelementptr i8, ptr addrspace(3) %other, i32 256
  %w = load i32, ptr addrspace(3) %beyond ; <<< error[S2] missing-sync
  %sum = add i32 %v, %w
  store i32 %sum, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
