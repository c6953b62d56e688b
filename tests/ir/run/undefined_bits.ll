; Of a word that is written in part, what was written is known: bits are followed, not words.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [20]
;! init = "zeros"
;! expect = [7, 7, 7, 7, 96, 96, 96, 96, 1, 1, 1, 1, 103, 103, 103, 103, 9, 9, 9, 9]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
define i32 @low(i32 %word) noinline {
  %low = and i32 %word, 255
  ret i32 %low
}
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %x
  %place = alloca i32, align 4, addrspace(5)
  store i8 103, ptr addrspace(5) %place, align 1
  %word = load i32, ptr addrspace(5) %place, align 4

  ; What masks and shifts leave is known.
  %low = and i32 %word, 15
  store i32 %low, ptr addrspace(1) %at, align 4
  %cleared = and i32 %word, 96
  %to.second = getelementptr i32, ptr addrspace(1) %at, i32 4
  store i32 %cleared, ptr addrspace(1) %to.second, align 4
  %set = or i32 %word, -256
  %up = add i32 %set, 256
  %upper = lshr i32 %set, 31
  %to.third = getelementptr i32, ptr addrspace(1) %at, i32 8
  store i32 %upper, ptr addrspace(1) %to.third, align 4

  ; A bit that is known of both decides a comparison, and so does a range.
  %differs = icmp eq i32 %word, 8
  br i1 %differs, label %never, label %narrow
never:
  store i32 -1, ptr addrspace(1) %at, align 4
  br label %narrow
narrow:
  %byte = trunc i32 %word to i8
  %wide = zext i8 %byte to i32
  %small = icmp ult i32 %wide, 200
  br i1 %small, label %calls, label %never.too
never.too:
  store i32 -2, ptr addrspace(1) %at, align 4
  br label %calls
calls:
  ; Through a vector, another lane, a call and memory.
  %bytes = bitcast i32 %word to <4 x i8>
  %again = bitcast <4 x i8> %bytes to i32
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %again)
  %kept = call i32 @low(i32 %first)
  %to.fourth = getelementptr i32, ptr addrspace(1) %at, i32 12
  store i32 %kept, ptr addrspace(1) %to.fourth, align 4
  %copy = alloca i32, align 4, addrspace(5)
  store i32 %word, ptr addrspace(5) %copy, align 4
  %part = load i8, ptr addrspace(5) %copy, align 1
  %nibble = shl i8 %part, 4
  %freezes = freeze i32 %word
  %known = and i32 %freezes, 7
  %two = lshr i8 %nibble, 7
  %two.wide = zext i8 %two to i32
  %nine = add i32 %known, %two.wide
  %ten = add i32 %nine, 2
  %sum = sub i32 %ten, %two.wide
  %to.fifth = getelementptr i32, ptr addrspace(1) %at, i32 16
  store i32 %sum, ptr addrspace(1) %to.fifth, align 4
  ret void
}
