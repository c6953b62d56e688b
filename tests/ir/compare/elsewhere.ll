; Each work-item stores its number. The wrong code stores it behind where it belongs, so that nothing of the code stores to what
; differs first; by the line of the author's (here the code itself), the store that went elsewhere is found.
;! grid = [1]
;! block = [64]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [128]
;! init = "zeros"

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %out) !dbg !3 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %x
  %number = add i32 %x, 1
  store i32 %number, ptr addrspace(1) %at, align 4, !dbg !4  ; <<< differs
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "elsewhere.s", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "k", file: !1, line: 9, unit: !0)
!4 = !DILocation(line: 18, column: 2, scope: !3)
