//! Which bits of an operand the result of a scalar bitwise operation depends on, by what the other operand holds.
//!
//! Compilers build the lane masks of loops from registers that hold nothing yet, and mask away what they hold: `and` with
//! EXEC keeps the bits of active lanes alone, and those have been written.

use wavemark_isa::Operand;
use wavemark_sim::regs::{Regs, sindex};

use crate::site_info::{SiteInfo, Used};

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
    info: &SiteInfo,
    regs: &Regs,
    used: &Used,
    doubt: impl Fn(Option<u8>) -> u64,
) -> u64 {
    let Some(logic) = info.effects.logic else { return u64::MAX };
    let combine = |a, b| logic.combine(a, b);
    let other = combined_with(used, info.effects.saves_exec);
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

/// What a bitwise operation results in.
pub(crate) fn result(info: &SiteInfo, regs: &Regs) -> Option<u64> {
    let logic = info.effects.logic?;
    let second = if info.effects.saves_exec { Some(regs.s64(sindex::EXEC)) } else { value(info, regs, 2) };
    let width = info.uses.iter().find(|used| used.write && used.operand == Some(0))?.range.count;
    Some(logic.combine(value(info, regs, 1)?, second?) & low_bits(width))
}

/// The bits of a scalar operand of so many registers, one or two.
pub(crate) fn low_bits(registers: u32) -> u64 {
    if registers == 1 { u32::MAX.into() } else { u64::MAX }
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
