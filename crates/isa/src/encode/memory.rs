//! Encoding of the memory family beyond what its rows say: the counterpart of `decode/memory.rs`.

use super::EncodeError;
use crate::format::Addressing;
use crate::role::Class;
use crate::row::Row;
use crate::{Inst, Machine, Operand, Reg, RegFile, Special, code};

/// Corrects the bits of an instruction whose operands and modifiers have been put.
pub(super) fn finish(machine: Machine, row: &Row, inst: &Inst, bits: u128) -> Result<u128, EncodeError> {
    let operand = |role: &str| row.operand_index(role).and_then(|index| inst.operands.get(index));
    let fields = &row.memory.fields;
    let mut bits = bits;
    match row.memory.addressing {
        Some(Addressing::Scratch) if matches!(operand("vaddr"), Some(Operand::Reg(_))) => {
            bits |= fields.sve.map_or(0, |field| field.put(1));
        }
        Some(Addressing::ScalarBase) => {
            let (Some(imm), Some(offset)) = (fields.imm, operand("soffset")) else {
                return Ok(bits);
            };
            if *offset == Operand::Off {
                return Ok(bits | imm.put(1));
            }
            if inst.mods.control != 1 && !matches!(offset, Operand::Literal(_)) {
                return Ok(bits | imm.put(1) | fields.soe.map_or(0, |field| field.put(1)));
            }
            // The SGPR's number stands in the offset field, not in the field that the operand was put in.
            for field in [fields.soffset, fields.offset].into_iter().flatten() {
                bits &= !field.mask();
            }
            let code = match offset {
                Operand::Literal(_) => Some(code::LITERAL),
                register => code::code_of(machine, Class::ScalarReg, register),
            };
            let invalid = EncodeError::InvalidOperand { mnemonic: row.mnemonic, role: "soffset" };
            let code = code.ok_or(invalid)?;
            bits |= fields.offset.map_or(0, |field| field.put(code));
        }
        _ => {}
    }
    Ok(bits)
}

/// The code of an operand that its class does not decide.
pub(super) fn custom_code(
    machine: Machine,
    row: &Row,
    index: usize,
    operand: &Operand,
    inst: &Inst,
) -> Option<u32> {
    let fields = &row.memory.fields;
    match (row.operands[index].role, row.memory.addressing?, operand) {
        ("vaddr", _, Operand::Off) => Some(0),
        ("vaddr", _, Operand::Reg(Reg { file: RegFile::Vgpr, index, .. })) => Some(u32::from(*index)),
        ("saddr", addressing, Operand::Off) => {
            let no_vaddr = row
                .operand_index("vaddr")
                .is_some_and(|index| matches!(inst.operands.get(index), Some(Operand::Off)));
            let none = match addressing {
                Addressing::Scratch if no_vaddr => fields.no_address.or(fields.saddr),
                _ => fields.saddr,
            };
            none.map(|field| field.default)
        }
        ("soffset", Addressing::ScalarBase, Operand::Off) => match fields.imm {
            Some(_) => Some(0),
            None => code::code_of(machine, Class::ScalarReg, &Operand::Special(Special::Null)),
        },
        ("saddr", ..) | ("soffset", Addressing::ScalarBase, _) => {
            code::code_of(machine, Class::ScalarReg, operand)
        }
        ("soffset", _, Operand::Literal(_)) => None,
        ("soffset", ..) => code::code_of(machine, row.memory.soffset_class?, operand),
        _ => None,
    }
}
