; Integers of 7, 8, 32 and 128 bits, and functions of their bits.
;! grid = [1]
;! block = [8]
;! [[arg]]
;! name = "wide"
;! dtype = "i32"
;! shape = [8]
;! init = "hex:ff"
;! expect = [0, 0, 2, 6, 11, 17, 25, 35]
;! [[arg]]
;! name = "seven"
;! dtype = "i32"
;! shape = [8]
;! init = "hex:ff"
;! expect = [0, 40, -48, -8, 32, -56, -16, 24]
;! [[arg]]
;! name = "sat"
;! dtype = "i32"
;! shape = [8]
;! init = "hex:ff"
;! expect = [-100, -50, 0, 50, 100, 127, 127, 127]
;! [[arg]]
;! name = "bits"
;! dtype = "i32"
;! shape = [8]
;! init = "hex:ff"
;! expect = [32, 131, 130, 230, 129, 229, 229, 329]
;! [[arg]]
;! name = "funnel"
;! dtype = "i32"
;! shape = [8]
;! init = "hex:ff"
;! expect = [305419896, 610839793, 1221679586, -1851608124, 591751049, 1183502099, -1927963098, 439041101]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i8 @llvm.sadd.sat.i8(i8, i8)

define amdgpu_kernel void @k(ptr addrspace(1) %wide, ptr addrspace(1) %seven, ptr addrspace(1) %sat, ptr addrspace(1) %bits, ptr addrspace(1) %funnel) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x128 = zext i32 %x to i128
  %high = shl i128 %x128, 90
  %scaled = mul i128 %high, 5
  %down = lshr i128 %scaled, 90
  %square = mul i128 %down, %x128
  %seventh = udiv i128 %square, 7
  %low = trunc i128 %seventh to i32
  %wide.at = getelementptr i32, ptr addrspace(1) %wide, i32 %x
  store i32 %low, ptr addrspace(1) %wide.at, align 4

  %forty = mul i32 %x, 40
  %i7 = trunc i32 %forty to i7
  %signed = sext i7 %i7 to i32
  %seven.at = getelementptr i32, ptr addrspace(1) %seven, i32 %x
  store i32 %signed, ptr addrspace(1) %seven.at, align 4

  %fifty = mul i32 %x, 25
  %i8 = trunc i32 %fifty to i8
  %less = add i8 %i8, -50
  %twice = call i8 @llvm.sadd.sat.i8(i8 %less, i8 %less)
  %sat.signed = sext i8 %twice to i32
  %sat.at = getelementptr i32, ptr addrspace(1) %sat, i32 %x
  store i32 %sat.signed, ptr addrspace(1) %sat.at, align 4

  %leading = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
  %set = call i32 @llvm.ctpop.i32(i32 %x)
  %hundreds = mul i32 %set, 100
  %sum = add i32 %leading, %hundreds
  %bits.at = getelementptr i32, ptr addrspace(1) %bits, i32 %x
  store i32 %sum, ptr addrspace(1) %bits.at, align 4

  %moved = call i32 @llvm.fshl.i32(i32 u0x12345678, i32 u0x9abcdef0, i32 %x)
  %funnel.at = getelementptr i32, ptr addrspace(1) %funnel, i32 %x
  store i32 %moved, ptr addrspace(1) %funnel.at, align 4
  ret void
}
