//! Encoding of the image family beyond what its rows say: the counterpart of `decode/image.rs`.

use super::{EncodeError, InstBytes};
use crate::image::{Image, Layout};
use crate::role::Class;
use crate::row::{OperandSpec, Row};
use crate::{Inst, Machine, Operand, Reg, RegFile, code};

/// The numbers of the registers that the address lists; one for a tuple.
fn numbers(inst: &Inst) -> impl Iterator<Item = u8> + '_ {
    let (list, reg) = match inst.operands.get(1) {
        Some(Operand::List(list)) => (Some(list), None),
        Some(Operand::Reg(reg)) => (None, Some(reg.index as u8)),
        _ => (None, None),
    };
    list.into_iter().flat_map(|list| list.regs().map(|reg| reg.index as u8)).chain(reg)
}

/// Dwords with addresses behind the instruction.
fn extra_dwords(image: &Image, inst: &Inst) -> u8 {
    match (&image.layout, inst.operands.get(1)) {
        (Layout::Nsa(_), Some(Operand::List(_))) => {
            let needed = (numbers(inst).count() - 1).div_ceil(4) as u8;
            needed.max(inst.mods.control as u8)
        }
        (Layout::Nsa(_), _) => inst.mods.control as u8,
        _ => 0,
    }
}

/// Corrects the bits of an instruction whose operands and modifiers have been put.
pub(super) fn finish(row: &Row, inst: &Inst, bits: u128) -> Result<u128, EncodeError> {
    let Some(image) = row.image.as_deref() else { return Ok(bits) };
    let invalid = EncodeError::InvalidOperand { mnemonic: row.mnemonic, role: "vaddr" };
    if numbers(inst).count() > usize::from(image.longest_list().max(1)) {
        return Err(invalid);
    }
    let mut bits = bits;
    match &image.layout {
        Layout::Tuple => {}
        Layout::Nsa(field) => {
            let extra = u32::from(extra_dwords(image, inst));
            if !field.fits(extra) {
                return Err(invalid);
            }
            bits |= field.put(extra);
        }
        Layout::Slots(slots) => {
            for (slot, number) in slots.iter().zip(numbers(inst).skip(1)) {
                bits |= slot.put(number.into());
            }
        }
    }
    Ok(bits)
}

/// Appends the addresses that stand behind the instruction.
pub(super) fn append_addresses(row: &Row, inst: &Inst, bytes: &mut InstBytes) {
    let Some(image) = row.image.as_deref() else { return };
    let extra = extra_dwords(image, inst);
    let mut rest = numbers(inst).skip(1);
    for _ in 0..4 * extra {
        bytes.push(rest.next().unwrap_or(0));
    }
}

/// The code of an operand that its class does not decide.
pub(super) fn custom_code(machine: Machine, spec: &OperandSpec, operand: &Operand) -> Option<u32> {
    match operand {
        // What disassembly shows in place of a resource or sampler.
        _ if spec.class == Class::ScalarReg => code::code_of(machine, Class::VectorSrc, operand),
        // Nothing is returned.
        Operand::Off => Some(0),
        Operand::Reg(Reg { file: RegFile::Vgpr, index, .. }) => Some(u32::from(*index)),
        Operand::List(list) => list.regs().next().map(|reg| reg.index.into()),
        _ => None,
    }
}
