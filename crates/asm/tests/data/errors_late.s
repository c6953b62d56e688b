; target: gfx950
	.data
a:
	.set q, q
	.set r, a*2
	.set s, .Lnone
	.globl t
	.set t, outside+4
	.size a, outside
	.set fine, outside
;> file:4:7: error: the expression refers to itself or nests too deeply
;> file:5:7: error: this operator needs numbers, not addresses
;> file:9:11: error: expected an absolute expression, but outside is not defined
