//! Which bits of an operand the result of a scalar bitwise operation depends on, by what the other operand holds.
//!
//! Compilers build the lane masks of loops from registers that hold nothing yet, and mask away what they hold: `and` with
//! EXEC keeps the bits of active lanes alone, and those have been written.

use wavemark_isa::{Meaning, Operand};
use wavemark_sim::regs::{Regs, sindex};
use wavemark_target::Machine;

use crate::site_info::{SiteInfo, Used};

/// What of its two sources; and the second one is EXEC.
fn operation(meaning: Meaning) -> Option<(fn(u64, u64) -> u64, bool)> {
    use Meaning as M;
    Some(match meaning {
        M::S_AND_B32 | M::S_AND_B64 => (|a, b| a & b, false),
        M::S_NAND_B32 | M::S_NAND_B64 => (|a, b| !(a & b), false),
        M::S_OR_B32 | M::S_OR_B64 => (|a, b| a | b, false),
        M::S_NOR_B32 | M::S_NOR_B64 => (|a, b| !(a | b), false),
        M::S_AND_NOT1_B32 | M::S_AND_NOT1_B64 => (|a, b| a & !b, false),
        M::S_OR_NOT1_B32 | M::S_OR_NOT1_B64 => (|a, b| a | !b, false),
        M::S_AND_SAVEEXEC_B32 | M::S_AND_SAVEEXEC_B64 => (|a, b| a & b, true),
        M::S_OR_SAVEEXEC_B32 | M::S_OR_SAVEEXEC_B64 => (|a, b| a | b, true),
        M::S_AND_NOT1_SAVEEXEC_B32 | M::S_AND_NOT1_SAVEEXEC_B64 => (|a, b| a & !b, true),
        _ => return None,
    })
}

/// The operand that `used` is combined with bit by bit: its index, or `None` for EXEC.
fn combined_with(used: &Used, second_is_exec: bool) -> Option<u8> {
    match used.operand {
        Some(1) if second_is_exec => None,
        Some(1) => Some(2),
        _ => Some(1),
    }
}

/// The bits of a source that the result depends on; those of the other source that are in `doubt` count for nothing.
pub(crate) fn heeded_bits(
    machine: Machine,
    info: &SiteInfo,
    regs: &Regs,
    used: &Used,
    doubt: impl Fn(Option<u8>) -> u64,
) -> u64 {
    let inst = &info.site.inst;
    let Some((combine, second_is_exec)) = operation(inst.row(machine).meaning) else { return u64::MAX };
    let other = combined_with(used, second_is_exec);
    let value = match other {
        None => Some(regs.s64(sindex::EXEC)),
        Some(other) => value(info, regs, other),
    };
    let Some(value) = value else { return u64::MAX };
    let depends = match used.operand {
        Some(1) => combine(0, value) ^ combine(u64::MAX, value),
        _ => combine(value, 0) ^ combine(value, u64::MAX),
    };
    depends | doubt(other)
}

fn value(info: &SiteInfo, regs: &Regs, operand: u8) -> Option<u64> {
    match info.site.inst.operands.get(usize::from(operand))? {
        Operand::Int(value) => Some(i64::from(*value) as u64),
        _ => {
            let used = info.uses.iter().find(|used| used.read && used.operand == Some(operand))?;
            Some(regs.s64(used.range.from))
        }
    }
}
