//! Limits that span the operands of a vector instruction: one literal, and how many scalar values it can read.

use smallvec::SmallVec;

use super::vector::Item;
use super::{ParseError, Parser};
use crate::row::{Encoding, OperandSpec, Row};
use crate::vector::is_wide;
use crate::{Inst, Operand, Reg, RegFile, Special};

/// Bytes of the literal behind the instruction.
pub(super) fn literal_bytes(inst: &Inst) -> u8 {
    inst.operands
        .iter()
        .map(|operand| match operand {
            Operand::Literal64(_) => 8,
            Operand::Literal(_) => 4,
            _ => 0,
        })
        .max()
        .unwrap_or(0)
}

/// Whether a scalar operand does not count as read over the constant bus: NULL, LDS, and M0 where it is the lane.
fn free_of_the_bus(row: &Row, spec: &OperandSpec, operand: &Operand) -> bool {
    match operand {
        Operand::Special(Special::Null | Special::LdsDirect) => true,
        Operand::Special(Special::M0) => row.traits.lane && spec.role == "ssrc1",
        _ => false,
    }
}

/// Limits that span operands: one literal, and how many scalar values a vector instruction can read.
pub(super) fn check_limits(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    inst: &Inst,
    items: &[Item],
) -> Result<(), ParseError> {
    let last = || items.last().map_or(0, |item| item.start);
    let mut literal: Option<(Operand, u8)> = None;
    let mut literals = 0;
    let mut scalars: SmallVec<[Operand; 4]> = SmallVec::new();
    for (spec, operand) in encoding.specs(row).zip(&inst.operands) {
        if spec.access == crate::Access::Write {
            continue;
        }
        match operand {
            Operand::Literal(_) | Operand::Literal64(_) => {
                let wide = is_wide(encoding.form) && !p.machine.facts().vop3_literals;
                if !encoding.format.literal || wide {
                    let message = format!(
                        "{} is no inline constant, and this form ({}) takes no other",
                        spec.role,
                        if wide { "VOP3" } else { "with DPP or SDWA" }
                    );
                    return Err(p.error_at(last(), message));
                }
                if literal.is_some_and(|(other, _)| other != *operand) {
                    return Err(
                        p.error_at(last(), "an instruction has room for one literal; the operands need two")
                    );
                }
                // One literal for operands of two widths counts twice, however many there are. Each dword of a
                // vector has the literal.
                let own = if spec.ty.elem_bits == 32 { 1 } else { spec.ty.dwords() };
                let (_, width) = *literal.get_or_insert((*operand, own));
                literals = literals.max(if width == own { 1 } else { 2 });
            }
            Operand::Reg(Reg { file: RegFile::Sgpr | RegFile::Ttmp, .. }) | Operand::Special(_)
                if !free_of_the_bus(row, spec, operand)
                    // Other names of the same register count again.
                    && !scalars.contains(operand) =>
            {
                scalars.push(*operand);
            }
            _ => {}
        }
    }
    // VCC counts, and again by the name of a half.
    let implied = Operand::Special(Special::Vcc);
    if row.has("vcc") && !scalars.contains(&implied) {
        scalars.push(implied);
    }
    // So does M0 where the instruction reads it.
    if row.has("m0") && !scalars.contains(&Operand::Special(Special::M0)) {
        scalars.push(Operand::Special(Special::M0));
    }
    let limit = if row.traits.one_scalar { 1 } else { usize::from(p.machine.facts().constant_bus_limit) };
    if row.traits.scalar {
        return Ok(());
    }
    if scalars.len() + literals > limit {
        let message = format!(
            "{} scalar values are read (SGPRs, special registers, literals); {} reads at most {limit} here",
            scalars.len() + literals,
            row.mnemonic,
        );
        return Err(p.error_at(last(), message));
    }
    Ok(())
}
