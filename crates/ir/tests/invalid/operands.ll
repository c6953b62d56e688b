; Operands of the wrong type.
target triple = "amdgcn-amd-amdhsa"

%pair = type { i32, float }

define void @arithmetic(i32 %i, float %f, <2 x i32> %v, ptr %p) {
  %1 = fadd i32 %i, %i ; <<< operand-type
  %2 = add float %f, %f ; <<< operand-type
  %3 = fneg i32 %i ; <<< operand-type
  %4 = icmp eq float %f, %f ; <<< operand-type
  %5 = fcmp oeq i32 %i, %i ; <<< operand-type
  %6 = select i32 %i, i32 1, i32 2 ; <<< operand-type
  %7 = select <2 x i1> zeroinitializer, i32 1, i32 2 ; <<< operand-type
  %8 = extractelement <2 x i32> %v, float %f ; <<< operand-type
  %9 = shufflevector <2 x i32> %v, <2 x i32> %v, <2 x i32> <i32 0, i32 4> ; <<< operand-type
  %10 = icmp eq ptr %p, null
  ret void
}

define void @conversions(i32 %i, i64 %l, float %f, <2 x i32> %v, ptr addrspace(3) %p) {
  %1 = trunc i32 %i to i64 ; <<< cast
  %2 = zext i64 %l to i32 ; <<< cast
  %3 = fptrunc float %f to double ; <<< cast
  %4 = bitcast i32 %i to i64 ; <<< cast
  %5 = bitcast ptr addrspace(3) %p to ptr ; <<< cast
  %6 = addrspacecast ptr addrspace(3) %p to ptr addrspace(3) ; <<< cast
  %7 = sitofp float %f to float ; <<< cast
  %8 = bitcast <2 x i32> %v to i64
  %9 = ptrtoint float %f to i32 ; <<< cast
  %10 = zext <2 x i32> %v to i64 ; <<< cast
  ret void
}

define i32 @returns(i1 %c, i32 %i) {
  br i1 %c, label %a, label %b

a:
  ret void ; <<< return

b:
  switch i32 %i, label %a [ ; <<< switch
    i32 1, label %a
    i32 1, label %b
  ]
}

define void @addresses(ptr %p, i32 %i, float %f) {
  %1 = getelementptr %pair, ptr %p, i64 0, i32 2 ; <<< getelementptr
  %2 = getelementptr %pair, ptr %p, i64 0, i32 %i ; <<< getelementptr
  %3 = getelementptr i32, ptr %p, float %f ; <<< getelementptr
  %4 = getelementptr %pair, ptr %p, i64 0, i32 1
  br i32 %i, label %a, label %a ; <<< operand-type

a:
  ret void
}
