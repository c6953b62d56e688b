; gfx1250, setting 1
; The second dword of the result is -1; it is moved from a register that was given to the bound of the loop.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %byte = load i8, ptr addrspace(1) %in, align 1
  %bound = and i32 %n, 7
  br label %head
head:
  %turn = phi i32 [ 0, %entry ], [ %next, %head ]
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, %bound
  br i1 %more, label %head, label %exit
exit:
  %wide = zext i8 %byte to i128
  %inverted = xor i128 -1, %wide
  %words = bitcast i128 %inverted to <4 x i32>
  store <4 x i32> %words, ptr addrspace(1) %out, align 4
  ret void
}
