; A signed maximum over all lanes, of which a compiler may make an unsigned one.
;! grid = [1]
;! block = [64]
;! [[arg]]
;! name = "peak"
;! dtype = "i32"
;! shape = [1]
;! init = [-100]
;! expect = [31]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %peak) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %signed = sub i32 %x, 32
  %before = atomicrmw max ptr addrspace(1) %peak, i32 %signed syncscope("agent") monotonic, align 4  ; <<< differs
  ret void
}
