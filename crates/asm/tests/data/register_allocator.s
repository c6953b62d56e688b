; target: gfx950
; Macros that hand out registers, as hand-written kernels have them. Names with points, assignments of names that
; are put together, guards, expressions as arguments.
.set METADATA_VERSION, 5
.set .MAX_V, 256
.macro .BEGIN
	.set .NEXT_V, 0
	.set .NEXT_S, 0
	.set .AUTO_V, 0
	.set __guard, 1 /* begun */
.endm
.macro .CHECK_V count=0
	.if (.NEXT_V + \count) > .MAX_V
		.error "out of registers"
		.end
	.endif
.endm
.macro .LIMIT waves, sgprs, vgprs
	.if \waves == 10
		\sgprs = 80
		\vgprs = 24
	.elseif \waves == 8
		\sgprs = 96
		\vgprs = 32
	.else
		\sgprs = 102
		\vgprs = 256
	.endif
.endm
.macro .V name, count=1
	.CHECK_V \count
	.set \name, .NEXT_V
	.set .NEXT_V, .NEXT_V + \count
.endm
.macro .S name, count=1, align=0
	.if \align > 0
		.set __align, \align
	.elseif \count > 4
		.set __align, 4
	.else
		.set __align, \count
	.endif
	.if .NEXT_S % __align != 0
		.set .NEXT_S, ((.NEXT_S / __align) + 1) * __align
	.endif
	.set \name, .NEXT_S
	.set .NEXT_S, .NEXT_S + \count
.endm
.macro .S_ONCE name, count=1, align=0
	.ifndef __taken_\name
		__taken_\name = 0
	.endif
	.if __taken_\name == 0
		__taken_\name = 1
		.S \name, \count, \align
	.endif
.endm
.macro .FROM at
	.set .NEXT_S, \at
.endm
.macro .FINISH
	.ifnotdef __guard
		.error "not begun"
		.end
	.endif
	.if __guard != 1
		.error "begun twice"
	.endif
	.LIMIT 8, .AUTO_S, .AUTO_V
	.if .AUTO_V < .NEXT_V
		.AUTO_V = .NEXT_V
	.endif
	.if METADATA_VERSION == 5
		__next_free_sgpr = .AUTO_S - (2 * (1 + 0))
	.endif
	__guard = 2
.endm
.macro load dst, base, off=0, cache:vararg
	global_load_dword v[\dst], v[\base:\base+1], off offset:\off \cache
.endm
.macro unroll n, body:vararg
	_i = 0
	.rept \n
		\body
		_i = _i + 1
	.endr
.endm
.text
.BEGIN
.V v_tid, 2
.V v_addr, 2
.V v_data, 4
.S s_one
.S s_pair, 2
.S s_quad, 4, 4
.S_ONCE s_pair, 2
.S_ONCE s_late
.FROM ((.NEXT_S / 4) + 1) * 4
.S s_last
.FINISH
load v_data, v_addr
load v_data + 1, v_addr, 16, sc0 nt
load dst=v_data+2, base=v_addr, off=4*8
unroll 3, s_mov_b32 s[s_quad+_i], _i+s_last
unroll 2, v_add_u32 v[v_data+_i], v[v_data+_i], v[v_tid]
.if (s_pair % 2 == 0) && (v_addr+1 < 4) || 0
	s_nop s_last - 8
.endif
.macro m_exit when
	.if \when
		s_endpgm
		.exitm
	.endif
	s_nop 1
.endm
m_exit 0
m_exit (1 == 1)
.byte .AUTO_V, .AUTO_S, __next_free_sgpr
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 59
;>   008050dc 02007f04 108053dc 02007f05
;>   208050dc 02007f06 8c0084be 8d0085be
;>   8e0086be 04010868 05010a68 040080bf
;>   010080bf 000081bf 20605e
;> METADATA_VERSION: absolute 0x5 size 0 Local NoType Default
;> .MAX_V: absolute 0x100 size 0 Local NoType Default
;> v_tid: absolute 0x0 size 0 Local NoType Default
;> v_addr: absolute 0x2 size 0 Local NoType Default
;> v_data: absolute 0x4 size 0 Local NoType Default
;> .NEXT_V: absolute 0x8 size 0 Local NoType Default
;> s_one: absolute 0x0 size 0 Local NoType Default
;> s_quad: absolute 0x4 size 0 Local NoType Default
;> __taken_s_pair: absolute 0x1 size 0 Local NoType Default
;> s_pair: absolute 0x8 size 0 Local NoType Default
;> __taken_s_late: absolute 0x1 size 0 Local NoType Default
;> s_late: absolute 0xa size 0 Local NoType Default
;> __align: absolute 0x1 size 0 Local NoType Default
;> s_last: absolute 0xc size 0 Local NoType Default
;> .NEXT_S: absolute 0xd size 0 Local NoType Default
;> .AUTO_S: absolute 0x60 size 0 Local NoType Default
;> .AUTO_V: absolute 0x20 size 0 Local NoType Default
;> __next_free_sgpr: absolute 0x5e size 0 Local NoType Default
;> __guard: absolute 0x2 size 0 Local NoType Default
;> _i: absolute 0x2 size 0 Local NoType Default
