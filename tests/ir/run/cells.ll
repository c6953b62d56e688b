; A barrier in LDS counts an arrival of each wave when its copy is done: behind it, what others have copied is there.
;! grid = [1]
;! block = [64]
;! [[arg]]
;! name = "in"
;! dtype = "i32"
;! shape = [64]
;! init = [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 1026, 1027, 1028, 1029, 1030, 1031, 1032, 1033, 1034, 1035, 1036, 1037, 1038, 1039, 1040, 1041, 1042, 1043, 1044, 1045, 1046, 1047, 1048, 1049, 1050, 1051, 1052, 1053, 1054, 1055, 1056, 1057, 1058, 1059, 1060, 1061, 1062, 1063]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [64]
;! init = "hex:ff"
;! expect = [1032, 1033, 1034, 1035, 1036, 1037, 1038, 1039, 1040, 1041, 1042, 1043, 1044, 1045, 1046, 1047, 1048, 1049, 1050, 1051, 1052, 1053, 1054, 1055, 1056, 1057, 1058, 1059, 1060, 1061, 1062, 1063, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 1026, 1027, 1028, 1029, 1030, 1031]

target triple = "amdgpu12.50-amd-amdhsa"

@cell = internal addrspace(3) global i64 poison, align 8
@lds = internal addrspace(3) global [64 x i32] poison, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3))

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %init, label %ready
init:
  ; Every work-item arrives.
  store i64 270582939711, ptr addrspace(3) @cell
  br label %ready
ready:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %x
  %own = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %x
  %y = xor i32 %x, 32
  %other = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %y
  call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %from, ptr addrspace(3) %own, i32 0, i32 0)
  call void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3) @cell)
  br label %poll
poll:
  call void @llvm.amdgcn.s.sleep(i32 1)
  %word = load i64, ptr addrspace(3) @cell
  %phase = and i64 %word, 536870912
  %again = icmp eq i64 %phase, 0
  br i1 %again, label %poll, label %done
done:
  %v = load i32, ptr addrspace(3) %other
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %to
  ret void
}
