//! Branches and the program counter. [`Regs::pc`](crate::regs::Regs::pc) is the address of the next instruction
//! while the body of a branch runs, and for this `s_getpc` counts as one; a branch that is taken replaces it.

use wavemark_isa::Meaning;

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
    (Meaning::S_BRANCH, conditional!(|r| true)),
    (Meaning::S_CBRANCH_SCC0, conditional!(|r| !r.scc)),
    (Meaning::S_CBRANCH_SCC1, conditional!(|r| r.scc)),
    (Meaning::S_CBRANCH_VCCZ, conditional!(|r| r.vcc() == 0)),
    (Meaning::S_CBRANCH_VCCNZ, conditional!(|r| r.vcc() != 0)),
    (Meaning::S_CBRANCH_EXECZ, conditional!(|r| r.exec() == 0)),
    (Meaning::S_CBRANCH_EXECNZ, conditional!(|r| r.exec() != 0)),
    // The debugger's conditions, which nobody sets.
    (Meaning::S_CBRANCH_CDBGSYS, conditional!(|r| false)),
    (Meaning::S_CBRANCH_CDBGUSER, conditional!(|r| false)),
    (Meaning::S_CBRANCH_CDBGSYS_OR_USER, conditional!(|r| false)),
    (Meaning::S_CBRANCH_CDBGSYS_AND_USER, conditional!(|r| false)),
    (Meaning::S_SUBVECTOR_LOOP_BEGIN, subvector_begin!()),
    (Meaning::S_SUBVECTOR_LOOP_END, subvector_end!()),
    (Meaning::S_GET_PC_I64, get_pc!()),
    (Meaning::S_SET_PC_I64, set_pc!()),
    (Meaning::S_SWAP_PC_I64, swap_pc!()),
    (Meaning::S_CALL_I64, call!()),
    (
        Meaning::S_ADD_PC_I64,
        salu_regs!(r |a: u64| -> () { r.pc = r.pc.wrapping_add(a); ((), None) }).branch().def(),
    ),
];
