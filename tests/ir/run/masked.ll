; Of a vector in memory the elements are accessed whose bit is set: in a row, each at its own place, in a buffer of which IREE
; says the size in 32 or 45 bits, and in LDS.
;! grid = [1]
;! block = [2]
;! [[arg]]
;! name = "in"
;! dtype = "i32"
;! shape = [8]
;! values = [10, 11, 12, 13, 14, 15, 16, 17]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [24]
;! init = "hex:ff"
;! expect = [10, -2, 12, -4, 11, -1, 13, -1, 0, 1, 2, 3, 14, -2, 16, -4, 15, -1, 17, -1, 0, 1, 2, 3]

target triple = "amdgpu9.50-amd-amdhsa"

@lds = internal addrspace(3) global [8 x i32] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1), i16, i32, i32)
declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i45(ptr addrspace(1), i16, i45, i32)
declare <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7), <4 x i1>, <4 x i32>)
declare <4 x i32> @llvm.masked.load.v4i32.p3(ptr addrspace(3), <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p1(<4 x i32>, ptr addrspace(1), <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p7(<4 x i32>, <4 x ptr addrspace(7)>, <4 x i1>)
declare <4 x i32> @llvm.stepvector.v4i32()

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %from = shl i32 %x, 2
  %to = mul i32 %x, 12
  ; Even elements of a row: 10, -2, 12, -4.
  %resource = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) %in, i16 0, i32 32, i32 159744)
  %row = getelementptr i32, ptr addrspace(7) %resource, i32 %from
  %even = call <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7) align 4 %row, <4 x i1> <i1 true, i1 false, i1 true, i1 false>, <4 x i32> <i32 -1, i32 -2, i32 -3, i32 -4>)
  %own = getelementptr i32, ptr addrspace(3) @lds, i32 %from
  store <4 x i32> %even, ptr addrspace(3) %own
  %again = call <4 x i32> @llvm.masked.load.v4i32.p3(ptr addrspace(3) align 16 %own, <4 x i1> splat (i1 true), <4 x i32> poison)
  %first = getelementptr i32, ptr addrspace(1) %out, i32 %to
  store <4 x i32> %again, ptr addrspace(1) %first, align 4
  ; Every second number that was read, to every second place of a row.
  %steps = call <4 x i32> @llvm.stepvector.v4i32()
  %odd = add <4 x i32> %steps, splat (i32 1)
  %start = insertelement <4 x i32> poison, i32 %from, i64 0
  %starts = shufflevector <4 x i32> %start, <4 x i32> poison, <4 x i32> zeroinitializer
  %at = add <4 x i32> %starts, %odd
  %places = getelementptr i32, ptr addrspace(1) %in, <4 x i32> %at
  %gathered = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> %places, i32 4, <4 x i1> <i1 true, i1 false, i1 true, i1 false>, <4 x i32> zeroinitializer)
  %second = getelementptr i32, ptr addrspace(1) %first, i32 4
  call void @llvm.masked.store.v4i32.p1(<4 x i32> %gathered, ptr addrspace(1) align 4 %second, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  ; Steps, backwards.
  %all = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i45(ptr addrspace(1) %out, i16 0, i45 96, i32 159744)
  %third = add i32 %to, 8
  %b0 = insertelement <4 x i32> poison, i32 %third, i64 0
  %b = shufflevector <4 x i32> %b0, <4 x i32> poison, <4 x i32> zeroinitializer
  %back = sub <4 x i32> splat (i32 3), %steps
  %index = add <4 x i32> %b, %back
  %fats = getelementptr i32, ptr addrspace(7) %all, <4 x i32> %index
  call void @llvm.masked.scatter.v4i32.v4p7(<4 x i32> %back, <4 x ptr addrspace(7)> align 4 %fats, <4 x i1> splat (i1 true))
  ret void
}
