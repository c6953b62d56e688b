; target: gfx950
.section .rodata,#alloc
.byte 1
.section .foo,#alloc,#write
.byte 2
.section .bar,#alloc,#execinstr
s_nop 0
.section .tls,#alloc,#write,#tls
.byte 3
.section .ex,"ae"
.byte 3
.section .nt,"a",@note
.section .data.rel.ro,"aw"
.byte 1
.section .eh_frame
.section .init_array
.section .preinit_array
.section .note.foo
.section .debug_info
.section .debug_str
.byte 2
.section .debug_foo
.section .rodata.cst4,"aM",@progbits,4
.long 1
.section .rodata.str1.1,"aMS",@progbits,1
.asciz "x"
.section .lrodata,"a"
.section .comment,"MS",@progbits,1
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 0
;> .rodata type 1 flags 0x2 align 1 size 1
;>   01
;> .foo type 1 flags 0x3 align 1 size 1
;>   02
;> .bar type 1 flags 0x6 align 1 size 4
;>   000080bf
;> .tls type 1 flags 0x403 align 1 size 1
;>   03
;> .ex type 1 flags 0x80000002 align 1 size 1
;>   03
;> .nt type 7 flags 0x2 align 1 size 0
;> .data.rel.ro type 1 flags 0x3 align 1 size 1
;>   01
;> .eh_frame type 1 flags 0x2 align 1 size 0
;> .init_array type 14 flags 0x3 align 1 size 0
;> .preinit_array type 16 flags 0x3 align 1 size 0
;> .note.foo type 7 flags 0x0 align 1 size 0
;> .debug_info type 1 flags 0x0 align 1 size 0
;> .debug_str type 1 flags 0x30 align 1 size 1
;>   02
;> .debug_foo type 1 flags 0x0 align 1 size 0
;> .rodata.cst4 type 1 flags 0x12 align 1 size 4
;>   01000000
;> .rodata.str1.1 type 1 flags 0x32 align 1 size 2
;>   7800
;> .lrodata type 1 flags 0x2 align 1 size 0
;> .comment type 1 flags 0x30 align 1 size 0
