; What is wrong with blocks, phis and the order of values.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @back_to_the_entry() {
entry:
  br label %entry ; <<< entry
}

define void @late(i1 %c) {
  br i1 %c, label %a, label %b

a:
  %x = add i32 1, 2
  br label %b

b:
  %y = add i32 %x, 1 ; <<< dominance
  ret void
}

define i32 @itself() {
  %x = add i32 %x, 1 ; <<< dominance
  ret i32 %x
}

define i32 @missing_edge(i1 %c) {
entry:
  br i1 %c, label %a, label %b

a:
  br label %b

b:
  %p = phi i32 [ 0, %a ] ; <<< phi
  ret i32 %p
}

define i32 @two_values(i1 %c) {
entry:
  br i1 %c, label %b, label %b

b:
  %p = phi i32 [ 0, %entry ], [ 1, %entry ] ; <<< phi
  ret i32 %p
}

define i32 @phi_behind(i1 %c) {
entry:
  br label %b

b:
  %x = add i32 1, 2
  %p = phi i32 [ 0, %entry ] ; <<< phi
  ret i32 %p
}

; The value of the other way round is used at the end of the block that it comes from.
define i32 @loop(i32 %n) {
entry:
  br label %body

body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %done

done:
  ret i32 %next
}

; In what is never reached anything goes.
define i32 @unreached() {
  ret i32 0

1:
  %x = add i32 %y, 1
  br label %2

2:
  %y = add i32 %x, 1
  br label %1
}
