define amdgpu_cs void @main_cs(i32 inreg %a, ptr addrspace(1) %p) {
  store i32 %a, ptr addrspace(1) %p
  ret void
}
define amdgpu_ps float @main_ps(float %x) {
  ret float %x
}
declare amdgpu_gfx i32 @callee(i32)
define amdgpu_gfx i32 @func(i32 %x) {
  %r = call amdgpu_gfx i32 @callee(i32 %x)
  ret i32 %r
}
@g = external addrspace(1) global i32
@lds = external addrspace(3) global i32
define amdgpu_kernel void @kern(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(1) @g
  store i32 %v, ptr addrspace(1) %p
  ret void
}
!amdgpu.pal.metadata.msgpack = !{!0}
!0 = !{!"\82\B0amdpal.pipelines\90\AEamdpal.version\92\02\06"}
