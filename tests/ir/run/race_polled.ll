; Who polls does not acquire: what it hands on to the other waves by a barrier lacks that, and the barrier lacks nothing.
;! grid = [2]
;! block = [128]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [4]
;! init = "zeros"

target triple = "amdgpu9.50-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %data = getelementptr i32, ptr addrspace(1) %out, i32 1
  %more = getelementptr i32, ptr addrspace(1) %out, i32 2
  %first = icmp eq i32 %group, 0
  %one = icmp eq i32 %id, 0
  %last = icmp eq i32 %id, 127
  br i1 %first, label %produce, label %consume
produce:
  br i1 %last, label %store, label %stored
store:
  store i32 42, ptr addrspace(1) %data, align 4  ; <<< other end
  store i32 43, ptr addrspace(1) %more, align 4  ; <<< other end
  br label %stored
stored:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %one, label %tell, label %end
tell:
  store atomic i32 1, ptr addrspace(1) %out syncscope("agent") release, align 4
  br label %end
consume:
  br i1 %one, label %poll, label %told
poll:
  %ready = load atomic i32, ptr addrspace(1) %out syncscope("agent") monotonic, align 4  ; <<< hint: `fence syncscope("agent") acquire` behind
  %go = icmp eq i32 %ready, 1
  br i1 %go, label %seen, label %poll
seen:
  br label %told
told:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %last, label %load, label %end
load:
  %word = load i32, ptr addrspace(1) %data, align 4  ; <<< error[M1] missing-sync
  %another = load i32, ptr addrspace(1) %more, align 4  ; <<< error[M1] missing-sync
  %sum = add i32 %word, %another
  %place = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %sum, ptr addrspace(1) %place, align 4
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
