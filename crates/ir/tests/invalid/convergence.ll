; Convergence tokens.
target triple = "amdgpu9.50-amd-amdhsa"

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.smax.i32(i32, i32)

define i32 @where(i32 %x, i1 %c) #0 {
  %t = call token @llvm.experimental.convergence.entry()
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) [ "convergencectrl"(token %t) ]
  %late = call token @llvm.experimental.convergence.entry() ; <<< convergence
  %m = call i32 @llvm.smax.i32(i32 %x, i32 %f) [ "convergencectrl"(token %t) ]
  %a = call token @llvm.experimental.convergence.anchor() [ "convergencectrl"(token %t) ] ; <<< convergence
  br label %loop
loop:
  %l = call token @llvm.experimental.convergence.loop() ; <<< convergence
  %g = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %m) [ "convergencectrl"(token %t) ] ; <<< convergence
  br i1 %c, label %loop, label %end
end:
  ret i32 %g
}

define i32 @mixed(i32 %x) #0 {
  %t = call token @llvm.experimental.convergence.entry()
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) ; <<< convergence
  ret i32 %f
}

define i32 @twice(i32 %x) #0 {
  %t = call token @llvm.experimental.convergence.entry()
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) [ "convergencectrl"(token %t), "convergencectrl"(token %t) ] ; <<< convergence
  ret i32 %f
}

define i32 @nested(i32 %x) #0 {
  %t = call token @llvm.experimental.convergence.entry()
  br label %behind
behind:
  %a = call token @llvm.experimental.convergence.anchor()
  %b = call token @llvm.experimental.convergence.anchor()
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) [ "convergencectrl"(token %a) ]
  %g = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %f) [ "convergencectrl"(token %b) ] ; <<< convergence
  ret i32 %g
}

define i32 @hearts(i32 %x, i1 %c) #0 {
  %t = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  br label %body
body:
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ] ; <<< convergence
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) [ "convergencectrl"(token %l) ]
  br i1 %c, label %head, label %end
end:
  ret i32 %f
}

define i32 @no_convergent_function(i32 %x) {
  %t = call token @llvm.experimental.convergence.entry() ; <<< convergence
  ret i32 %x
}

define i32 @right(i32 %x, i1 %c) #0 {
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) [ "convergencectrl"(token %l) ]
  br i1 %c, label %loop, label %end
end:
  %g = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %f) [ "convergencectrl"(token %t) ]
  ret i32 %g
}

attributes #0 = { convergent }
