; A barrier that one wave does not reach.
;! grid = [1]
;! block = [128]

target triple = "amdgpu12.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)

define amdgpu_kernel void @k() {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp ult i32 %x, 32
  br i1 %first, label %arrives, label %done

arrives:
  call void @llvm.amdgcn.s.barrier.wait(i16 -1)  ; <<< error[B13] deadlock
  br label %done

done:
  ret void
}
