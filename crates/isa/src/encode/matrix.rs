//! Encoding of the matrix family beyond what its rows say: the reverse of module `decode::matrix`.

use super::{EncodeError, InstBytes, encode_bits};
use crate::matrix::Trait;
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::{Dpp, Form, Inst, Machine, Operand, Reg, RegFile, Table, code};

/// Corrects the bits of an instruction whose operands and modifiers have been put.
pub(super) fn finish(
    _isa: Machine,
    row: &Row,
    encoding: &Encoding,
    inst: &Inst,
    bits: u128,
) -> Result<u128, EncodeError> {
    let put = |name, value: u32| encoding.format.field(name).map_or(0, |field| field.put(value));
    let mut bits = bits;
    if row.matrix == Trait::Swmmac && bits & encoding.required.0 != encoding.required.1 {
        return Err(EncodeError::InvalidModifier { mnemonic: row.mnemonic, name: "index_key" });
    }
    if row.matrix == Trait::Mix {
        bits |= put("neg_hi", inst.mods.abs.into());
    }
    match (inst.mods.dpp, encoding.form) {
        (Some(Dpp::Row { ctrl, row_mask, bank_mask, bound_ctrl, fi }), Form::E64Dpp16) => {
            bits |= put("dpp_ctrl", ctrl.into())
                | put("row_mask", row_mask.into())
                | put("bank_mask", bank_mask.into())
                | put("bound_ctrl", bound_ctrl.into())
                | put("fi", fi.into());
        }
        (Some(Dpp::Lanes8 { sel, fi }), Form::E64Dpp8) => {
            bits |= put("dpp8", sel);
            if fi {
                // Source code 234 instead of 233.
                bits ^= 3 << 32;
            }
        }
        (None, form) if !matches!(form, Form::E64Dpp16 | Form::E64Dpp8) => {}
        _ => return Err(EncodeError::InvalidModifier { mnemonic: row.mnemonic, name: "dpp" }),
    }
    Ok(bits)
}

/// The code of an operand that its class does not decide.
pub(super) fn custom_code(
    machine: Machine,
    row: &Row,
    _encoding: &Encoding,
    index: usize,
    operand: &Operand,
    inst: &Inst,
) -> Option<u32> {
    let role = row.operands.get(index)?.role;
    match (role, operand) {
        ("srca" | "srcb" | "srcc", Operand::Reg(reg)) if reg.file == RegFile::Vgpr => {
            // C has the register file of D.
            (role != "srcc" || !accumulates_in_agprs(inst)).then_some(u32::from(reg.index) | 0x100)
        }
        ("srca" | "srcb" | "srcc", Operand::Reg(reg)) if reg.file == RegFile::Agpr => {
            (role != "srcc" || accumulates_in_agprs(inst)).then_some(u32::from(reg.index) | 0x300)
        }
        ("asrc", Operand::Reg(Reg { file: RegFile::Agpr, index, .. })) => Some(u32::from(*index) | 0x100),
        ("adst", Operand::Reg(Reg { file: RegFile::Agpr, index, .. })) => Some(u32::from(*index)),
        // The bit that makes D an AGPR is C's as well.
        ("srcc", _) if accumulates_in_agprs(inst) => {
            code::code_of(machine, Class::ScalarSrc, operand).map(|code| code | 0x200)
        }
        ("srca" | "srcb" | "srcc" | "asrc" | "index" | "vscalea" | "vscaleb" | "smask", _) => {
            code::code_of(machine, Class::ScalarSrc, operand)
        }
        _ => None,
    }
}

fn accumulates_in_agprs(inst: &Inst) -> bool {
    matches!(inst.operands.first(), Some(Operand::Reg(Reg { file: RegFile::Agpr, .. })))
}

/// Encodes a pair (VOPD).
pub(super) fn encode_pair(machine: Machine, inst: &Inst, second: &Inst) -> Result<InstBytes, EncodeError> {
    let (x, x_literal, dwords) = half(machine, inst)?;
    let mut y_inst = second.clone();
    if second.form == Form::VopdY
        && let (Some(Operand::Reg(x)), Some(Operand::Reg(y))) =
            (inst.operands.first(), y_inst.operands.first_mut())
    {
        if x.index & 1 == y.index & 1 {
            let mnemonic = second.mnemonic(machine);
            return Err(EncodeError::InvalidOperand { mnemonic, role: "vdst" });
        }
        y.index &= !1;
    }
    let (y, y_literal, _) = half(machine, &y_inst)?;
    let literal = match (x_literal, y_literal) {
        (Some(x), Some(y)) if x != y => {
            return Err(EncodeError::TwoLiterals { mnemonic: inst.mnemonic(machine) });
        }
        (x, y) => x.or(y),
    };
    let mut bytes = InstBytes::new();
    bytes.extend_from_slice(&(x | y).to_le_bytes()[..dwords * 4]);
    if let Some(Operand::Literal(value)) = literal {
        bytes.extend_from_slice(&(value as u32).to_le_bytes());
    }
    Ok(bytes)
}

fn half(machine: Machine, inst: &Inst) -> Result<(u128, Option<Operand>, usize), EncodeError> {
    let row = Table::of(machine).row(inst.row);
    let encoding = row.encoding(inst.form).ok_or(EncodeError::NoForm { form: inst.form })?;
    let (bits, literal) = encode_bits(machine, row, encoding, inst)?;
    Ok((bits, literal, usize::from(encoding.format.dwords)))
}
