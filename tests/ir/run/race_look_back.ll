; A sum over workgroups that look back at those before them: that a workgroup's own sum is there is said without a release.
; Who comes when all before it have ended finds the sum of all, and never looks at that one.
;! grid = [4]
;! block = [1]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [12]
;! init = "zeros"
; schedules: 4

target triple = "amdgpu9.50-amd-amdhsa"

; [0..4] say what is there of each workgroup: 1 its own sum, at [4..8]; 2 that of all up to it, at [8..12].
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %own = add i32 %group, 1
  %state = getelementptr i32, ptr addrspace(1) %out, i32 %group
  %sum = getelementptr i32, ptr addrspace(1) %state, i32 4
  %all = getelementptr i32, ptr addrspace(1) %state, i32 8
  store i32 %own, ptr addrspace(1) %sum, align 4  ; <<< other end
  %first = icmp eq i32 %group, 0
  br i1 %first, label %done, label %publish
publish:
  store atomic i32 1, ptr addrspace(1) %state syncscope("agent") monotonic, align 4  ; <<< hint: `fence syncscope("agent") release` before
  br label %look
look:
  %back = phi i32 [ 1, %publish ], [ %back, %look ], [ %further, %one ]
  %so.far = phi i32 [ %own, %publish ], [ %so.far, %look ], [ %more, %one ]
  %at = sub i32 %group, %back
  %its.state = getelementptr i32, ptr addrspace(1) %out, i32 %at
  %is = load atomic i32, ptr addrspace(1) %its.state syncscope("agent") acquire, align 4
  switch i32 %is, label %look [ i32 1, label %one
                                 i32 2, label %last ]
one:
  %its.sum = getelementptr i32, ptr addrspace(1) %its.state, i32 4
  %addend = load i32, ptr addrspace(1) %its.sum, align 4  ; <<< error[M1] missing-sync
  %more = add i32 %so.far, %addend
  %further = add i32 %back, 1
  br label %look
last:
  %its.all = getelementptr i32, ptr addrspace(1) %its.state, i32 8
  %rest = load i32, ptr addrspace(1) %its.all, align 4
  %whole = add i32 %so.far, %rest
  br label %done
done:
  %result = phi i32 [ %own, %entry ], [ %whole, %last ]
  store i32 %result, ptr addrspace(1) %all, align 4
  store atomic i32 2, ptr addrspace(1) %state syncscope("agent") release, align 4
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
