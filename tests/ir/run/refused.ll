; What is not executed is named with its place.
;! grid = [1]
;! block = [64]
; refused: 21:3: the assembly text "s_nop 0"

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k() {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %never = icmp ugt i32 %x, 1000
  br i1 %never, label %unsupported, label %reached

unsupported:
  call void asm sideeffect "s_trap 2", ""()
  br label %reached

reached:
  call void asm sideeffect "s_nop 0", ""()
  ret void
}
