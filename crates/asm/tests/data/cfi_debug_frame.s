; target: gfx950
.cfi_sections .debug_frame
.cfi_startproc
.fill 400
.cfi_def_cfa_register 7
.fill 70000
.cfi_offset 5, -16
 .cfi_rel_offset 5, 8
.cfi_adjust_cfa_offset 8
.cfi_remember_state
.cfi_restore_state
.cfi_same_value 3
.cfi_restore 2
.cfi_restore 100
.cfi_register 1,2
.cfi_offset 70, -16
.cfi_offset 70, 16
.cfi_window_save
.cfi_return_column 9
.cfi_val_offset 3,8
.cfi_val_offset 3,-8
.cfi_undefined 300
.cfi_escape 1,2,0x103
.cfi_endproc
