; Pointers that are a buffer resource with an offset: what is out of range is not stored, and reads zeros.
;! grid = [1]
;! block = [4]
;! [[arg]]
;! name = "data"
;! dtype = "i32"
;! shape = [12]
;! values = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]
;! expect = [10, 11, 12, 13, 114, 115, 16, 17, 42, 42, 42, 42]
;! [[arg]]
;! name = "out"
;! dtype = "i32"
;! shape = [20]
;! init = "hex:ff"
;! expect = [10, 11, 12, 13, 14, 15, 0, 0, 1, 1, 1, 1, 18, 19, 20, 21, 31, 32, 33, 34]

target triple = "amdgpu9.50-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1), i16, i64, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %data, ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %x
  ; 24 bytes, of which each lane has 4.
  %resource = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %data, i16 0, i64 24, i32 159744)
  %fat = addrspacecast ptr addrspace(8) %resource to ptr addrspace(7)
  %mine = getelementptr i32, ptr addrspace(7) %fat, i32 %x
  %first = load i32, ptr addrspace(7) %mine, align 4
  store i32 %first, ptr addrspace(1) %to, align 4
  %next = getelementptr inbounds [2 x i32], ptr addrspace(7) %mine, i32 1, i32 2
  %second = load i32, ptr addrspace(7) %next, align 4
  %to.second = getelementptr i32, ptr addrspace(1) %to, i32 4
  store i32 %second, ptr addrspace(1) %to.second, align 4

  ; Through memory, a number and a choice it is the same pointer.
  %slot = alloca ptr addrspace(7), align 32, addrspace(5)
  store ptr addrspace(7) %next, ptr addrspace(5) %slot, align 32
  %kept = load ptr addrspace(7), ptr addrspace(5) %slot, align 32
  %number = ptrtoint ptr addrspace(7) %kept to i160
  %back = inttoptr i160 %number to ptr addrspace(7)
  %even = icmp eq ptr addrspace(7) %back, %next
  %other = icmp ne ptr addrspace(7) %back, %mine
  %both = and i1 %even, %other
  %flag = zext i1 %both to i32
  %to.third = getelementptr i32, ptr addrspace(1) %to, i32 8
  store i32 %flag, ptr addrspace(1) %to.third, align 4
  %raised = add i32 %second, 100
  %chosen = select i1 %both, ptr addrspace(7) %back, ptr addrspace(7) %mine
  store i32 %raised, ptr addrspace(7) %chosen, align 4

  ; The whole buffer, and changes of it.
  %all = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %data, i16 0, i64 48, i32 159744)
  %at = add i32 %x, 8
  %shared = getelementptr i32, ptr addrspace(7) %all, i32 %at
  %old = load atomic i32, ptr addrspace(7) %shared syncscope("agent") monotonic, align 4
  %to.fourth = getelementptr i32, ptr addrspace(1) %to, i32 12
  store i32 %old, ptr addrspace(1) %to.fourth, align 4
  %added = atomicrmw add ptr addrspace(7) %shared, i32 1 syncscope("agent") monotonic
  %before = add i32 %at, 11
  %exchanged = cmpxchg ptr addrspace(7) %shared, i32 %before, i32 40 syncscope("agent") monotonic monotonic
  %done = extractvalue { i32, i1 } %exchanged, 1
  %more = atomicrmw add ptr addrspace(7) %shared, i32 2 syncscope("agent") monotonic
  %unsigned = zext i1 %done to i32

  ; With an index, which is 0 here.
  %strided = addrspacecast ptr addrspace(8) %resource to ptr addrspace(9)
  %elsewhere = getelementptr i32, ptr addrspace(9) %strided, i32 %x
  %value = load i32, ptr addrspace(9) %elsewhere, align 4
  %twenty = add i32 %value, 20
  %sum = add i32 %twenty, %unsigned
  %to.fifth = getelementptr i32, ptr addrspace(1) %to, i32 16
  store i32 %sum, ptr addrspace(1) %to.fifth, align 4
  ret void
}
