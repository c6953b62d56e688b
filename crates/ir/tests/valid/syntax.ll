; Everything that the reader knows, once.
source_filename = "syntax"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

module asm "; one line"
module asm "; \22another\22"

%pair = type { i32, float }
%packed = type <{ i8, i64, [2 x %pair] }>
%"quoted name" = type opaque
%0 = type { ptr addrspace(3), <4 x half> }

$group = comdat any
$other = comdat nodeduplicate

@lds = internal addrspace(3) global [64 x i32] poison, align 16
@dynamic = external addrspace(3) global [0 x i8], align 16
@table = protected local_unnamed_addr addrspace(4) externally_initialized constant [3 x i16] [i16 1, i16 -2, i16 3], section ".table", align 2
@text = private unnamed_addr addrspace(4) constant [5 x i8] c"a\0A\22\\\00", align 1
@weak = weak_odr hidden addrspace(1) global %pair { i32 7, float 1.500000e+00 }, comdat($group), align 4
@other = linkonce_odr addrspace(1) global i32 0, comdat
@packed = addrspace(1) global %packed <{ i8 1, i64 -1, [2 x %pair] zeroinitializer }>
@inside = addrspace(1) global ptr addrspace(1) getelementptr inbounds nuw (i8, ptr addrspace(1) @packed, i64 9)
@ranged = addrspace(1) global ptr addrspace(1) getelementptr inrange(-4, 8) (i8, ptr addrspace(1) @weak, i64 4)
@flat = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @weak to ptr)
@number = addrspace(1) global i64 add (i64 ptrtoint (ptr addrspace(1) @weak to i64), i64 4)
@"odd \01 name" = addrspace(1) global <2 x float> splat (float 2.000000e+00)
@kept = thread_local(localexec) addrspace(1) global i32 undef, no_sanitize_address
@wide = addrspace(1) global i200 -170141183460469231731687303715884105729
@0 = addrspace(1) global half 0xH7E00
@alias = hidden alias i32, ptr addrspace(1) @other

declare void @external(ptr captures(none), i32 signext, ...) addrspace(4) #0
declare !some.kind !9 noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1
declare void @llvm.memcpy.p1.p4.i64(ptr addrspace(1) noalias writeonly captures(none), ptr addrspace(4) noalias readonly captures(none), i64, i1 immarg) #2
declare token @llvm.experimental.convergence.entry() #3
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #3
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)

define fastcc zeroext i8 @callee(ptr align 4 dereferenceable(8) %r, ptr addrspace(5) byval(%pair) align 4 %p, float nofpclass(nan inf) %f, i32 inreg %last) local_unnamed_addr alwaysinline "key"="value" {
  ret i8 1
}

define void @structured(ptr noalias sret(%pair) align 4 %r) {
  ret void
}

define amdgpu_kernel void @kernel(ptr addrspace(1) inreg noundef nonnull align 16 %0, i32 %n, float %x, <2 x half> %h, i1 %c) #4 comdat($group) align 256 !dbg !5 !reqd_work_group_size !9 {
entry:
  %1 = tail call i32 @llvm.amdgcn.workitem.id.x(), !dbg !10
    #dbg_value(i32 %1, !8, !DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value), !10)
  %slot = alloca [4 x i32], i32 2, align 4, addrspace(5)
  %sum = add nuw nsw i32 %1, 1
  %diff = sub i32 %sum, 1
  %product = mul nsw i32 %diff, -3
  %quotient = udiv exact i32 %product, 3
  %squotient = sdiv i32 %product, 3
  %rest = urem i32 %product, 3
  %srest = srem i32 %product, 3
  %left = shl nuw i32 %rest, 1
  %right = lshr exact i32 %left, 1
  %aright = ashr i32 %right, 1
  %both = and i32 %aright, 255
  %either = or disjoint i32 %both, 256
  %differ = xor i32 %either, -1
  %fsum = fadd reassoc ninf afn float %x, 1.000000e+00
  %fdiff = fsub nnan nsz float %fsum, 0x3FB99999A0000000
  %fproduct = fmul contract float %fdiff, 0x7FF0000000000000
  %fquotient = fdiv arcp float %fproduct, %x
  %frest = frem float %fquotient, %x
  %negated = fneg <2 x half> %h
  %narrow = trunc nuw nsw i32 %differ to i16
  %wide = zext nneg i16 %narrow to i64
  %signed = sext i16 %narrow to i64
  %single = fptrunc double 1.000000e+00 to float
  %double = fpext float %x to double
  %unsigned = fptoui float %x to i32
  %int = fptosi double %double to i64
  %from = uitofp nneg i32 %n to float
  %sfrom = sitofp i64 %int to double
  %address = ptrtoint ptr addrspace(1) %0 to i64
  %pointer = inttoptr i64 %address to ptr addrspace(4)
  %bits = bitcast <2 x half> %h to i32
  %generic = addrspacecast ptr addrspace(5) %slot to ptr
  %less = icmp samesign ult i32 %n, %1
  %order = fcmp fast une float %x, 0.000000e+00
  %chosen = select i1 %less, i32 %n, i32 %1
  %frozen = freeze i32 %chosen
  %element = extractelement <2 x half> %h, i32 1
  %inserted = insertelement <2 x half> poison, half %element, i64 0
  %shuffled = shufflevector <2 x half> %h, <2 x half> %inserted, <3 x i32> <i32 0, i32 poison, i32 3>
  %part = extractvalue { i32, { float, half } } undef, 1, 0
  %whole = insertvalue %pair undef, float %part, 1
  %field = getelementptr inbounds nuw %packed, ptr addrspace(1) %0, i64 0, i32 2, i64 1
  %step = getelementptr nusw i32, ptr addrspace(1) %0, i32 %n
  %loaded = load volatile i32, ptr addrspace(1) %step, align 4, !range !11, !nontemporal !12
  %atomic = load atomic i32, ptr addrspace(1) %step syncscope("agent") acquire, align 4
  store i32 %loaded, ptr addrspace(3) @lds, align 4, !alias.scope !13
  store atomic volatile i32 %atomic, ptr addrspace(1) %step release, align 4
  fence syncscope("workgroup") acq_rel, !mmra !14
  %old = atomicrmw volatile fadd ptr addrspace(1) %step, float %x syncscope("agent-one-as") monotonic, align 4
  %swapped = cmpxchg weak ptr addrspace(1) %step, i32 0, i32 1 syncscope("workgroup") acq_rel monotonic, align 4
  %overflow = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %n, i32 1)
  %asm = call i32 asm sideeffect "v_mov_b32 $0, $1", "=v,v"(i32 %n) #5
  call void (ptr, i32, ...) addrspacecast (ptr addrspace(4) @external to ptr)(ptr null, i32 signext 1, float 2.000000e+00)
  %byte = notail call fastcc zeroext i8 @callee(ptr %generic, ptr addrspace(5) byval(%pair) align 4 %slot, float nofpclass(nan) %x, i32 inreg 3)
  call void @llvm.memcpy.p1.p4.i64(ptr addrspace(1) align 4 %step, ptr addrspace(4) align 1 @text, i64 5, i1 false)
  call void @llvm.experimental.noalias.scope.decl(metadata !13)
  switch i32 %frozen, label %loop [
    i32 0, label %done
    i32 -1, label %"quoted block"
  ]

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ], [ 1, %"quoted block" ]
  %acc = phi nnan float [ 0.000000e+00, %entry ], [ %more, %loop ], [ %x, %"quoted block" ]
  %next = add i32 %i, 1
  %more = fadd float %acc, %x
  br i1 %c, label %loop, label %done, !llvm.loop !15

"quoted block":
  br label %loop

done:
  br i1 %order, label %2, label %3

2:
  ret void

3:
  unreachable
}

define i32 @controlled(i32 %x) #5 {
  %token = call token @llvm.experimental.convergence.entry()
  %uniform = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) [ "convergencectrl"(token %token) ]
  ret i32 %uniform
}

attributes #0 = { nounwind allocsize(1) memory(argmem: readwrite, inaccessiblemem: read) "no-value" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { convergent nocallback nofree nounwind willreturn memory(none) }
attributes #4 = { convergent norecurse alignstack=8 uwtable(sync) vscale_range(1, 2) "amdgpu-flat-work-group-size"="1,256" "target-cpu"="gfx950" }
attributes #5 = { convergent nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "by hand", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "syntax.c", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!4 = !DISubroutineType(types: !6)
!5 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, line: 3, type: !4, scopeLine: 3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = !{null, !7}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocalVariable(name: "i", scope: !5, file: !1, line: 4, type: !7)
!9 = !{i32 64, i32 1, i32 1}
!10 = !DILocation(line: 4, column: 7, scope: !5)
!11 = !{i32 0, i32 100}
!12 = !{i32 1}
!13 = !{!16}
!14 = !{!"amdgpu-synchronize-as", !"local"}
!15 = distinct !{!15, !17}
!16 = distinct !{!16, !18, !"scope"}
!17 = !{!"llvm.loop.mustprogress"}
!18 = distinct !{!18, !"domain"}
