; target: gfx942

.cg_profile .Lnowhere, b, 1
.loc_label twice
.section .debug_line
;> file:3:13: error: .Lnowhere is not defined
