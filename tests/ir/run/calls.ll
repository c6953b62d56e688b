; Calls: a recursive function that lanes leave at different depths, and by addresses, of which lanes have different ones.
;! grid = [1]
;! block = [8]
;! [[arg]]
;! name = "factorial"
;! dtype = "i32"
;! shape = [8]
;! init = "hex:ff"
;! expect = [1, 1, 2, 6, 24, 120, 720, 5040]
;! [[arg]]
;! name = "doubled"
;! dtype = "i32"
;! shape = [8]
;! init = "hex:ff"
;! expect = [0, 0, 4, 2, 8, 4, 12, 6]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
@table = internal addrspace(4) constant [2 x ptr] [ptr @double, ptr @less]

define internal i32 @factorial(i32 %n) {
entry:
  %small = icmp ult i32 %n, 2
  br i1 %small, label %one, label %more

one:
  ret i32 1

more:
  %less = add i32 %n, -1
  %rest = call i32 @factorial(i32 %less)
  %product = mul i32 %n, %rest
  ret i32 %product
}

define internal i32 @double(i32 %n) {
  %twice = shl i32 %n, 1
  ret i32 %twice
}

define internal i32 @less(i32 %n) {
  %one = sub i32 %n, 1
  ret i32 %one
}

define amdgpu_kernel void @k(ptr addrspace(1) %factorial, ptr addrspace(1) %doubled) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %f = call i32 @factorial(i32 %x)
  %at = getelementptr i32, ptr addrspace(1) %factorial, i32 %x
  store i32 %f, ptr addrspace(1) %at, align 4
  %bit = and i32 %x, 1
  %which = getelementptr [2 x ptr], ptr addrspace(4) @table, i32 0, i32 %bit
  %function = load ptr, ptr addrspace(4) %which, align 8
  %d = call i32 %function(i32 %x)
  %doubled.at = getelementptr i32, ptr addrspace(1) %doubled, i32 %x
  store i32 %d, ptr addrspace(1) %doubled.at, align 4
  ret void
}
