; gfx1250, setting 1
; What LDS holds is read before the second barrier, behind which it is overwritten: the read is moved behind that barrier, past the
; fence before it, so that a wave may read what another one has written there.
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [2048 x i8] poison, align 16
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
  store <2 x i32> <i32 8, i32 9>, ptr addrspace(3) @lds, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %old = load <2 x i32>, ptr addrspace(3) @lds, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 false, label %then, label %behind
then:
  br label %behind
behind:
  %c = icmp sge i32 -2147483647, %n
  br i1 %c, label %one, label %other
one:
  %halves = load <2 x half>, ptr addrspace(1) %in, align 2
  %nan = fcmp uno <2 x half> %halves, %halves
  %chosen = select <2 x i1> %nan, <2 x half> <half -1.0, half -0.125>, <2 x half> %halves
  %half = extractelement <2 x half> %chosen, i32 0
  br label %met
other:
  %low = call i32 @llvm.umin.i32(i32 %n, i32 255)
  %wide = zext i32 %low to i64
  %offset = mul nuw nsw i64 %wide, 16
  %at = getelementptr i8, ptr addrspace(1) %in, i64 %offset
  br label %met
met:
  br label %head
head:
  br i1 false, label %exit, label %round
round:
  br i1 false, label %head, label %exit
exit:
  store <4 x i32> zeroinitializer, ptr addrspace(3) @lds, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %own = getelementptr i8, ptr addrspace(1) %out, i32 240
  store <2 x i32> %old, ptr addrspace(1) %own, align 4
  ret void
}
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.umin.i32(i32, i32)
