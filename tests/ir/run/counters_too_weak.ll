; A wait that leaves one in flight says nothing of the only one.
;! grid = [1]
;! block = [32]
;! [[arg]]
;! name = "in"
;! dtype = "i32"
;! shape = [32]
;! init = [500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 512, 513, 514, 515, 516, 517, 518, 519, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530, 531]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [32]
;! init = "hex:ff"

target triple = "amdgpu12.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
@lds = internal addrspace(3) global [32 x i32] undef, align 16

declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %x
  %own = getelementptr [32 x i32], ptr addrspace(3) @lds, i32 0, i32 %x
  call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %from, ptr addrspace(3) %own, i32 0, i32 0)  ; <<< other end
  call void @llvm.amdgcn.s.wait.asynccnt(i16 1)
  %value = load i32, ptr addrspace(3) %own, align 4  ; <<< error[R4] missing-wait
  %more = add i32 %value, 1
  store i32 %more, ptr addrspace(3) %own, align 4  ; <<< 2 error[R4] missing-wait
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %x
  call void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1) %at, ptr addrspace(3) %own, i32 0, i32 0)
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0)
  ret void
}
