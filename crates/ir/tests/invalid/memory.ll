; Accesses that no memory has.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-A5"
target triple = "amdgcn-amd-amdhsa"

%opaque = type opaque

define void @accesses(ptr addrspace(1) %g, ptr addrspace(4) %c, ptr addrspace(8) %r, ptr addrspace(11) %n, i32 %i) {
  %1 = alloca i32 ; <<< address-space
  %2 = alloca i32, addrspace(5)
  %3 = alloca %opaque, addrspace(5) ; <<< sized-type
  store i32 0, ptr addrspace(4) %c ; <<< address-space
  %4 = load i32, ptr addrspace(4) %c
  %5 = load i32, ptr addrspace(8) %r ; <<< address-space
  %6 = load i32, ptr addrspace(11) %n ; <<< address-space
  %7 = load %opaque, ptr addrspace(1) %g ; <<< sized-type
  ret void
}

define void @orders(ptr addrspace(1) %g, i32 %i, float %f, i24 %odd) {
  %1 = load atomic i32, ptr addrspace(1) %g syncscope("agent") release, align 4 ; <<< atomic
  store atomic i32 0, ptr addrspace(1) %g acquire, align 4 ; <<< atomic
  fence syncscope("workgroup") monotonic ; <<< atomic
  fence syncscope("my-group") release ; <<< syncscope
  fence syncscope("workgroup-one-as") release
  %2 = atomicrmw add ptr addrspace(1) %g, float %f monotonic ; <<< atomic
  %3 = atomicrmw fadd ptr addrspace(1) %g, i32 %i monotonic ; <<< atomic
  %4 = atomicrmw add ptr addrspace(1) %g, i24 %odd monotonic ; <<< atomic
  %5 = atomicrmw add ptr addrspace(1) %g, i32 %i unordered ; <<< atomic
  %6 = cmpxchg ptr addrspace(1) %g, i32 %i, i32 0 acquire release ; <<< atomic
  %7 = cmpxchg ptr addrspace(1) %g, float %f, float %f acquire monotonic ; <<< atomic
  ret void
}
