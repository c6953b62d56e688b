; What depends on a value that there is not.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [4]
;! init = "hex:ff"

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %wraps = add nuw i32 %x, -1
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %wraps, ptr addrspace(1) %at, align 4  ; <<< error[V2] uninitialized
  %some = freeze i32 %wraps
  store i32 %some, ptr addrspace(1) %at, align 4
  %lane0 = icmp eq i32 %x, 0
  %unused = select i1 %lane0, i32 5, i32 %x
  store i32 %unused, ptr addrspace(1) %at, align 4
  %decides = icmp ult i32 %wraps, 2
  br i1 %decides, label %then, label %done  ; <<< 2 error[V1] uninitialized

then:
  %none = getelementptr i32, ptr addrspace(1) %out, i32 poison
  store i32 1, ptr addrspace(1) %none, align 4  ; <<< 3 error[V1] uninitialized
  br label %done

done:
  %q = udiv i32 8, %x  ; <<< 4 error[V3] trap
  ret void
}
