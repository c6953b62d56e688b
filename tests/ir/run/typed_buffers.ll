; Elements that a format converts: the resource's, or the instruction's.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "data"
;! dtype = "u32"
;! shape = [4]
;! values = [4278255360, 255, 65280, 2155905152]
;! [[arg]]
;! name = "out"
;! dtype = "f32"
;! shape = [16]
;! init = "hex:ff"
;! expect = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5019607843, 0.5019607843, 0.5019607843, 0.5019607843]
;! rtol = 1e-6
;! [[arg]]
;! name = "back"
;! dtype = "u32"
;! shape = [4]
;! init = "zeros"
;! expect = [255, 510, 765, 0]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare <4 x float> @llvm.amdgcn.struct.ptr.buffer.load.format.v4f32(ptr addrspace(8), i32, i32, i32, i32 immarg)
declare i32 @llvm.amdgcn.raw.ptr.tbuffer.load.i32(ptr addrspace(8), i32, i32, i32 immarg, i32 immarg)
declare void @llvm.amdgcn.raw.ptr.tbuffer.store.v2f16(<2 x half>, ptr addrspace(8), i32, i32, i32 immarg, i32 immarg)
define amdgpu_kernel void @k(ptr addrspace(1) %data, ptr addrspace(1) %out, ptr addrspace(1) %back) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  ; Four bytes, normalised, each to its register: data format 10, number format 0, selection x y z w.
  %typed = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %data, i16 4, i64 4, i32 331692)
  %color = call <4 x float> @llvm.amdgcn.struct.ptr.buffer.load.format.v4f32(ptr addrspace(8) %typed, i32 %x, i32 0, i32 0, i32 0)
  %to = getelementptr <4 x float>, ptr addrspace(1) %out, i32 %x
  store <4 x float> %color, ptr addrspace(1) %to, align 16

  ; Single bytes without a sign (data format 1, number format 4), the second of each word.
  %raw = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %data, i16 0, i64 16, i32 159744)
  %offset = mul i32 %x, 4
  %second = add i32 %offset, 1
  %byte = call i32 @llvm.amdgcn.raw.ptr.tbuffer.load.i32(ptr addrspace(8) %raw, i32 %second, i32 0, i32 65, i32 0)
  %times = add i32 %x, 1
  %sum = mul i32 %times, 255
  %low = trunc i32 %sum to i16
  %pair = insertelement <2 x i16> zeroinitializer, i16 %low, i32 0
  %bits = bitcast <2 x i16> %pair to <2 x half>
  ; Two halves of a word without a sign (data format 5, number format 4); of 12 bytes, the fourth lane's are out of range.
  %into = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %back, i16 0, i64 12, i32 159744)
  call void @llvm.amdgcn.raw.ptr.tbuffer.store.v2f16(<2 x half> %bits, ptr addrspace(8) %into, i32 %offset, i32 0, i32 69, i32 0)
  ret void
}
