//! Encoding of the memory family beyond what its rows say: the counterpart of `decode/memory.rs`.

use super::EncodeError;
use crate::decode::memory::no_saddr;
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::row::{Line, line};
use crate::{Inst, Machine, Operand, Reg, RegFile, Special, code};

/// Corrects the bits of an instruction whose operands and modifiers have been put.
pub(super) fn finish(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    inst: &Inst,
    bits: u128,
) -> Result<u128, EncodeError> {
    let operand = |role: &str| row.operand_index(role).and_then(|index| inst.operands.get(index));
    let set = |name: &str| encoding.format.field(name).map_or(0, |field| field.put(1));
    let mut bits = bits;
    match encoding.format.name {
        "SCRATCH" | "VSCRATCH" if matches!(operand("vaddr"), Some(Operand::Reg(_))) => bits |= set("sve"),
        "SMEM" if line(machine) == Line::Early => match operand("soffset") {
            None => {}
            Some(Operand::Off) => bits |= set("imm"),
            Some(register) if inst.mods.control == 1 => {
                // The SGPR's number stands in the offset field, not in the field that the operand was put in.
                let code = code::code_of(machine, Class::ScalarReg, register).unwrap_or(0);
                if let Some(field) = encoding.format.field("soffset") {
                    bits &= !field.put(u32::MAX);
                }
                bits |= u128::from(code) << 32;
            }
            Some(_) => bits |= set("imm") | set("soe"),
        },
        _ => {}
    }
    Ok(bits)
}

/// The code of an operand that its class does not decide.
pub(super) fn custom_code(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    index: usize,
    operand: &Operand,
    _inst: &Inst,
) -> Option<u32> {
    match (row.operands[index].role, encoding.format.name, operand) {
        ("vaddr", _, Operand::Off) => Some(0),
        ("vaddr", _, Operand::Reg(Reg { file: RegFile::Vgpr, index, .. })) => Some(u32::from(*index)),
        ("saddr", _, Operand::Off) => Some(no_saddr(machine)),
        ("soffset", "SMEM", Operand::Off) => match line(machine) {
            Line::Early => Some(0),
            Line::Late => code::code_of(machine, Class::ScalarReg, &Operand::Special(Special::Null)),
        },
        ("saddr", ..) | ("soffset", "SMEM" | "VBUFFER", _) => {
            code::code_of(machine, Class::ScalarReg, operand)
        }
        ("soffset", _, Operand::Literal(_)) => None,
        ("soffset", ..) => code::code_of(machine, Class::ScalarSrc, operand),
        _ => None,
    }
}
