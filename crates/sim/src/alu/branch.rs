//! Branches and the program counter. [`Regs::pc`](crate::regs::Regs::pc) is the address of the next instruction
//! while the body of a branch runs, and for this `s_getpc` counts as one; a branch that is taken replaces it.

use super::def::Line;
use crate::regs::{Regs, sindex};

/// The halves of EXEC; of a wave of 32 lanes the upper one is 0.
fn exec_halves(r: &Regs) -> [u32; 2] {
    [r.exec() as u32, (r.exec() >> 32) as u32]
}

/// Write a half of EXEC, if the wave has it.
fn set_exec_half(r: &mut Regs, half: u32, x: u32) {
    if half == 0 || r.chunks == 4 {
        r.s[(sindex::EXEC + half) as usize] = x;
        r.exec_changed();
    }
}

/// RDNA2 ISA, S_SUBVECTOR_LOOP_BEGIN: the half that waits for its pass is in the SGPR.
macro_rules! subvector_begin {
    () => {
        salu_regs!(r |saved: u32, target: u64| -> u32 {
            let saved = match exec_halves(r) {
                [0, 0] => {
                    r.pc = target;
                    saved
                }
                [0, _] => 0,
                [_, high] => {
                    set_exec_half(r, 1, 0);
                    high
                }
            };
            (saved, None)
        })
        .in_place()
        .target()
        .def()
    };
}

/// RDNA2 ISA, S_SUBVECTOR_LOOP_END.
macro_rules! subvector_end {
    () => {
        salu_regs!(r |saved: u32, target: u64| -> u32 {
            let saved = match exec_halves(r) {
                [low, 0] if saved != 0 => {
                    set_exec_half(r, 1, saved);
                    set_exec_half(r, 0, 0);
                    r.pc = target;
                    low
                }
                [_, 0] => saved,
                _ => {
                    set_exec_half(r, 0, saved);
                    saved
                }
            };
            (saved, None)
        })
        .in_place()
        .target()
        .def()
    };
}

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
    // The debugger's conditions, which nobody sets.
    ("s_cbranch_cdbgsys", conditional!(|r| false)),
    ("s_cbranch_cdbguser", conditional!(|r| false)),
    ("s_cbranch_cdbgsys_or_user", conditional!(|r| false)),
    ("s_cbranch_cdbgsys_and_user", conditional!(|r| false)),
    ("s_subvector_loop_begin", subvector_begin!()),
    ("s_subvector_loop_end", subvector_end!()),
    ("s_get_pc_i64", get_pc!()),
    ("s_set_pc_i64", set_pc!()),
    ("s_swap_pc_i64", swap_pc!()),
    ("s_call_i64", call!()),
    ("s_add_pc_i64", salu_regs!(r |a: u64| -> () { r.pc = r.pc.wrapping_add(a); ((), None) }).branch().def()),
];
