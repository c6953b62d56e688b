; target: gfx950
.type t, @tls_object
.type o, @object
.type c, @common
.type n, STT_NOTYPE
.type gi, @gnu_indirect_function
.type gu, @gnu_unique_object
.type th, STT_TLS
.type co, STT_COMMON
.type f2, #function
.type f3, "function"
.type f4 STT_FUNC
.type f5, %object
.section .tdata,"awT",@progbits
t: .long 1
th: .long 2
.data
o: c: n: gi: gu: co: f2: f3: f4: f5: .long 3
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .tdata type 1 flags 0x403 align 1 size 8
;>   01000000 02000000
;> .data type 1 flags 0x3 align 1 size 4
;>   03000000
;> t: .tdata 0x0 size 0 Local Other(6) Default
;> o: .data 0x0 size 0 Local Object Default
;> c: .data 0x0 size 0 Local Object Default
;> n: .data 0x0 size 0 Local NoType Default
;> gi: .data 0x0 size 0 Local HsaKernel Default
;> th: .tdata 0x4 size 0 Local Other(6) Default
;> co: .data 0x0 size 0 Local Object Default
;> f2: .data 0x0 size 0 Local Func Default
;> f3: .data 0x0 size 0 Local Func Default
;> f4: .data 0x0 size 0 Local Func Default
;> f5: .data 0x0 size 0 Local Object Default
;> gu: .data 0x0 size 0 Other(10) Object Default
