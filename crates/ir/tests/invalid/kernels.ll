; Kernels and variables that cannot be.
target triple = "amdgpu9.50-amd-amdhsa"

%opaque = type opaque

@big = internal addrspace(3) global [40000 x i32] poison
@also = internal addrspace(3) global [10000 x i32] poison
@begun = internal addrspace(3) global i32 1 ; <<< address-space
@nowhere = addrspace(12) global i32 1 ; <<< address-space
@scratch = addrspace(5) global i32 poison ; <<< address-space
@barrier = addrspace(1) global target("amdgcn.named.barrier", 0) poison ; <<< address-space
@shapeless = global %opaque zeroinitializer ; <<< sized-type

define amdgpu_kernel i32 @returns() { ; <<< kernel
  ret i32 0
}

define amdgpu_kernel void @shapeless_parameter(%opaque %p) { ; <<< kernel
  ret void
}

define amdgpu_kernel void @structure(ptr sret(i32) %p) { ; <<< kernel
  ret void
}

define void @helper() {
  store i32 0, ptr addrspace(3) @big
  ret void
}

define amdgpu_kernel void @too_much() { ; <<< lds-size
  store i32 0, ptr addrspace(3) @also
  call void @helper()
  ret void
}

define amdgpu_kernel void @fits() {
  store i32 0, ptr addrspace(3) @big
  ret void
}

define amdgpu_kernel void @no_size() "amdgpu-flat-work-group-size"="0,64" { ; <<< work-group-size
  ret void
}

define amdgpu_kernel void @too_large() "amdgpu-flat-work-group-size"="1,2048" { ; <<< work-group-size
  ret void
}
