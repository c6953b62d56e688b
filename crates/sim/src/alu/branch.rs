//! Branches and the program counter. [`Regs::pc`](crate::regs::Regs::pc) is the address of the next instruction
//! while the body of a branch runs, and for this `s_getpc` counts as one; a branch that is taken replaces it.

use super::def::Line;

macro_rules! conditional {
    (|$r:ident| $e:expr) => {
        salu_regs!($r |target: u64| -> () {
            if $e {
                $r.pc = target;
            }
            ((), None)
        })
        .target()
        .def()
    };
}

macro_rules! get_pc {
    () => {
        salu_regs!(r || -> u64 { (r.pc, None) }).branch().def()
    };
}
macro_rules! set_pc {
    () => {
        salu_regs!(r |a: u64| -> () { r.pc = a & !3; ((), None) }).branch().def()
    };
}
macro_rules! swap_pc {
    () => {
        salu_regs!(r |a: u64| -> u64 { let old = r.pc; r.pc = a & !3; (old, None) }).branch().def()
    };
}
macro_rules! call {
    () => {
        salu_regs!(r |target: u64| -> u64 { let old = r.pc; r.pc = target; (old, None) }).target().def()
    };
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    ("s_branch", conditional!(|r| true)),
    ("s_cbranch_scc0", conditional!(|r| !r.scc)),
    ("s_cbranch_scc1", conditional!(|r| r.scc)),
    ("s_cbranch_vccz", conditional!(|r| r.vcc() == 0)),
    ("s_cbranch_vccnz", conditional!(|r| r.vcc() != 0)),
    ("s_cbranch_execz", conditional!(|r| r.exec() == 0)),
    ("s_cbranch_execnz", conditional!(|r| r.exec() != 0)),
    ("s_get_pc_i64", get_pc!()),
    ("s_set_pc_i64", set_pc!()),
    ("s_swap_pc_i64", swap_pc!()),
    ("s_call_i64", call!()),
    ("s_add_pc_i64", salu_regs!(r |a: u64| -> () { r.pc = r.pc.wrapping_add(a); ((), None) }).branch().def()),
];
