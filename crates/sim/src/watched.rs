//! Whether a program reads its floating-point exceptions: only then are they recorded.
//!
//! The flags are in TRAPSTS, from gfx12 on in EXCP_FLAG_USER, and there is no way to them but `s_getreg_b32`. Where code ends
//! and data begin is not known: what could be such an instruction, at any dword, is taken for one.

use wavemark_isa::decode_as_executed;
use wavemark_isa::effects::{Control, HwField, HwReg, Path, effects};
use wavemark_isa::{Inst, Operand};
use wavemark_target::Machine;

/// What a program that reads exceptions is known by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// It reads them.
    pub exceptions: bool,
    /// It does so, and accesses buffers: whether one was out of bounds is not recorded.
    pub buffers: bool,
}

impl Watched {
    /// The program with this code.
    pub fn of(machine: Machine, code: &[u8]) -> Watched {
        let reads = |id: u8| code.chunks_exact(4).any(|word| word[0] & 0x3f == id && word[3] >> 4 == SOPK);
        let ids = [HwReg::TrapSts, HwReg::ExcpFlagUser].map(|register| register.id(machine));
        if !ids.into_iter().flatten().any(reads) {
            return Watched::default();
        }
        let mut instructions =
            (0..code.len() / 4).filter_map(|dword| decode_as_executed(machine, &code[dword * 4..]).ok());
        let exceptions = instructions.clone().any(|inst| reads_exceptions(machine, &inst));
        let mut accesses = || {
            instructions
                .any(|inst| effects(machine, &inst).memory.is_some_and(|memory| memory.path == Path::Buffer))
        };
        Watched { exceptions, buffers: exceptions && accesses() }
    }
}

/// The first four bits of an instruction with a constant of 16 bits.
const SOPK: u8 = 0b1011;

fn reads_exceptions(machine: Machine, inst: &Inst) -> bool {
    let immediate = inst.operands.iter().find_map(|operand| match operand {
        Operand::Imm(x) => Some(*x as u16),
        _ => None,
    });
    effects(machine, inst).control == Some(Control::GetReg)
        && immediate.is_some_and(|simm16| {
            let register = HwReg::of(machine, HwField::from_simm16(simm16).id);
            matches!(register, HwReg::TrapSts | HwReg::ExcpFlagUser)
        })
}
