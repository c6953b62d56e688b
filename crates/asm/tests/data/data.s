; target: gfx950
	.text
	s_nop 0
	.p2align 4
	s_nop 1
	.p2align 4, 0
	s_nop 2
	.byte 1
	.p2align 2
	.p2alignl 4, 0xbf9f0000
	.p2align 8,,16
	.data
	.byte 1, -1, 255
	.2byte 0x1234
	.4byte 0x12345678
	.int -1
	.8byte 0x123456789abcdef0
	.octa 0x0123456789abcdeffedcba9876543210
	.float 1.5, -2, inf
	.double 0.1
	.ascii "a\tb\n\"\101\x42", "c" "d"
	.string "end"
	.uleb128 0, 127, 128, 300
	.sleb128 -1, 63, 64, -65
	.fill 2, 2, -1
	.fill 3, 8, 0x1122334455667788
	.fill 2
	.zero 3
	.space 2, 0xee
	.skip 1
	.org 200, 0x55
	.pushsection .rodata,"a"
	.byte 1
	.previous
	.byte 2
	.popsection
	.byte 3
;> file:26:14: warning: only the low 32 bits of the value are used
;> gfx950 V6
;> .text type 1 flags 0x6 align 256 size 48
;>   000080bf 000080bf 000080bf 000080bf
;>   010080bf 00000000 00000000 00000000
;>   020080bf 01000000 00009fbf 00009fbf
;> .data type 1 flags 0x3 align 1 size 202
;>   01ffff34 12785634 12ffffff fff0debc
;>   9a785634 12103254 7698badc feefcdab
;>   89674523 010000c0 3f000000 c0000080
;>   7f9a9999 999999b9 3f610962 0a224142
;>   6364656e 6400007f 8001ac02 7f3fc000
;>   bf7fffff ffff8877 66550000 00008877
;>   66550000 00008877 66550000 00000000
;>   000000ee ee005555 55555555 55555555
;>   55555555 55555555 55555555 55555555
;>   55555555 55555555 55555555 55555555
;>   55555555 55555555 55555555 55555555
;>   55555555 55555555 55555555 55555555
;>   55555555 55555555 0203
;> .rodata type 1 flags 0x2 align 1 size 1
;>   01
