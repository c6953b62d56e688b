; gfx950, setting 1
; `case` is entered from `head` and from `leaf`. What it takes out of a vector costs nothing, and is computed in `head` already
; when control flow is given its structure; coming from `leaf`, the result is then taken for what `leaf` gives `join`, and nothing
; is left of `case`. The optimiser makes such switches of cases that are alike. LLVM 23 moves it in plain branches alone (its pull
; request 183792).
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %lid = call i32 @llvm.amdgcn.workitem.id.x()
  %offset = mul i32 %lid, 512
  %own = getelementptr i8, ptr addrspace(1) %out, i32 %offset
  %pair = load <2 x i32>, ptr addrspace(1) %in, align 8
  br label %head
leaf:
  %word = extractelement <2 x i32> %pair, i32 0
  %is = icmp ne i32 %n, 1
  br i1 %is, label %case, label %join
head:
  %small = icmp slt i32 %n, 64
  br i1 %small, label %leaf, label %case
case:
  %other = extractelement <2 x i32> %pair, i32 1
  br label %join
join:
  %which = phi i32 [ %word, %leaf ], [ %other, %case ]
  store i32 %which, ptr addrspace(1) %own, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
