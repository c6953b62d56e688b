; Vectors and structures: elements by an index that lanes differ in, shuffles, structures in memory, vectors of bits.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "element"
;! dtype = "i32"
;! shape = [4]
;! init = "hex:ff"
;! expect = [10, 11, 12, 13]
;! [[arg]]
;! name = "field"
;! dtype = "i32"
;! shape = [4]
;! init = "hex:ff"
;! expect = [7, 107, 207, 307]
;! [[arg]]
;! name = "packed"
;! dtype = "u8"
;! shape = [4]
;! init = "hex:ff"
;! expect = [1, 2, 4, 8]
;! [[arg]]
;! name = "halves"
;! dtype = "u32"
;! shape = [4]
;! init = "hex:ff"
;! expect = [131073, 131073, 131073, 131073]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
%pair = type { i8, i32 }

define amdgpu_kernel void @k(ptr addrspace(1) %element, ptr addrspace(1) %field, ptr addrspace(1) %packed, ptr addrspace(1) %halves) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %rest = extractelement <4 x i32> <i32 10, i32 11, i32 12, i32 13>, i32 %x
  %at = getelementptr i32, ptr addrspace(1) %element, i32 %x
  store i32 %rest, ptr addrspace(1) %at, align 4

  %stack = alloca [4 x %pair], align 4, addrspace(5)
  %own = getelementptr [4 x %pair], ptr addrspace(5) %stack, i32 0, i32 %x
  %hundreds = mul i32 %x, 100
  %some = insertvalue %pair { i8 3, i32 undef }, i32 %hundreds, 1
  store %pair %some, ptr addrspace(5) %own, align 4
  %second = getelementptr %pair, ptr addrspace(5) %own, i32 0, i32 1
  %old = load i32, ptr addrspace(5) %second, align 4
  %new = add i32 %old, 7
  store i32 %new, ptr addrspace(5) %second, align 4
  %whole = load %pair, ptr addrspace(5) %own, align 4
  %value = extractvalue %pair %whole, 1
  %field.at = getelementptr i32, ptr addrspace(1) %field, i32 %x
  store i32 %value, ptr addrspace(1) %field.at, align 4

  %one = insertelement <8 x i1> zeroinitializer, i1 true, i32 %x
  %byte = bitcast <8 x i1> %one to i8
  %packed.at = getelementptr i8, ptr addrspace(1) %packed, i32 %x
  store i8 %byte, ptr addrspace(1) %packed.at, align 1

  %both = shufflevector <2 x i16> <i16 5, i16 1>, <2 x i16> <i16 2, i16 9>, <2 x i32> <i32 1, i32 2>
  %word = bitcast <2 x i16> %both to i32
  %halves.at = getelementptr i32, ptr addrspace(1) %halves, i32 %x
  store i32 %word, ptr addrspace(1) %halves.at, align 4
  ret void
}
