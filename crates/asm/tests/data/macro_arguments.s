; target: gfx950
.macro m a,b
.ascii "\a|\b;"
.endm
m 1 - 2
m 1 -2
m (1 2) 3
m v[0: 1]
m "x y" z
m a=b
m b=1, a = 2
m 1,
m
m ,2
m "a,b","c d"
m 1<<2, 3 >> 1
m a.b .c
m s[0:3], v5
m 'x', ','
m x==y, z
m !a, ~b
m a@b c?d
m $x $y
m {1,2}
m v[1,2]
m a/b c*d
;> gfx950 V6
;> .text type 1 flags 0x6 align 4 size 138
;>   312d327c 3b312d32 7c3b2831 2032297c
;>   333b765b 303a7c31 5d3b7820 797c7a3b
;>   627c3b32 7c313b31 7c3b7c3b 7c323b61
;>   2c627c63 20643b31 3c3c327c 333e3e31
;>   3b612e62 7c2e633b 735b303a 335d7c76
;>   353b2778 277c272c 273b783d 3d797c7a
;>   3b21617c 7e623b61 40627c63 3f643b24
;>   787c2479 3b7b317c 327d3b76 5b317c32
;>   5d3b612f 627c632a 643b
