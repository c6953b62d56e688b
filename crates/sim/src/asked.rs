//! Whether a program reads its floating-point exceptions: only then are they recorded.
//!
//! The flags are in TRAPSTS, from gfx12 on in EXCP_FLAG_USER, and there is no way to them but `s_getreg_b32`. Where code ends
//! and data begin is not known: what could be such an instruction, at any dword, is taken for one.

use wavemark_isa::decode_as_executed;
use wavemark_isa::effects::{Control, HwField, HwReg, Path, effects};
use wavemark_isa::named::hwreg_id;
use wavemark_isa::{Inst, Operand};
use wavemark_target::Machine;

/// What a program that reads exceptions is known by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// It reads them.
    pub exceptions: bool,
    /// It does so, and accesses buffers: whether one was out of bounds is not recorded.
    pub buffers: bool,
}

impl Asked {
    /// The program with this code.
    pub fn of(machine: Machine, code: &[u8]) -> Asked {
        let ids = ["HW_REG_TRAPSTS", "HW_REG_EXCP_FLAG_USER"].map(|name| hwreg_id(machine, name));
        let (words, _) = code.as_chunks::<4>();
        let at = |dword: usize| decode_as_executed(machine, &code[dword * 4..]).ok();
        let exceptions = ids.into_iter().flatten().any(|id| {
            let wanted = SOPK | u32::from(id & 0x3f);
            let maybe = |word: &[u8; 4]| u32::from_le_bytes(*word) & (SOPK_MASK | 0x3f) == wanted;
            // Without a way out, so that the compiler vectorises it: many programs have none.
            words.iter().fold(false, |any, word| any | maybe(word))
                && (0..words.len())
                    .filter(|&dword| maybe(&words[dword]))
                    .filter_map(at)
                    .any(|inst| reads_exceptions(machine, &inst))
        });
        if !exceptions {
            return Asked::default();
        }
        let buffers = (0..words.len())
            .filter_map(at)
            .any(|inst| effects(machine, &inst).memory.is_some_and(|memory| memory.path == Path::Buffer));
        Asked { exceptions, buffers }
    }
}

/// The top bits of an instruction with a constant of 16 bits, in which the number of a register is the lowest.
const SOPK: u32 = 0b1011 << 28;
const SOPK_MASK: u32 = 0xf << 28;

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
