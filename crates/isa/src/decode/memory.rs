//! Decoding of the memory family beyond what its rows say: addresses whose presence and width depend on other
//! fields, offsets that are signed.

use super::{DecodeError, Input};
use crate::format::{Addressing, Field};
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::{Inst, Machine, Mods, Operand, Reg, RegFile, Special, code};

/// Corrects an instruction whose fields have been read.
pub(super) fn finish(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), DecodeError> {
    let takes_offset = match row.memory.addressing {
        Some(Addressing::Lds | Addressing::Lds2) => true,
        Some(Addressing::ScalarBase) => row.operand_index("soffset").is_some(),
        _ => !row.operands.is_empty(),
    };
    if !takes_offset {
        inst.mods.offset = 0;
    }
    if inst.mods.addr64 && (inst.mods.offen || inst.mods.idxen) {
        let reason = "addr64 goes with neither offen nor idxen";
        return Err(DecodeError::Invalid { mnemonic: row.mnemonic, reason });
    }
    // LLVM's reading of a bit that these processors do not have.
    if !input.machine.facts().agpr_operands && row.memory.addressing != Some(Addressing::Flat) {
        let data =
            || encoding.specs(row).zip(&inst.operands).filter(|(spec, _)| spec.class == Class::VgprOrAgpr);
        let agpr = |operand: &Operand| matches!(operand, Operand::Reg(Reg { file: RegFile::Agpr, .. }));
        if data().count() > 1 && data().any(|(_, operand)| agpr(operand)) {
            let reason = "accumulation VGPRs are no data here";
            return Err(DecodeError::Invalid { mnemonic: row.mnemonic, reason });
        }
    }
    // With `tfe` an access has one more dword, the status.
    if inst.mods.tfe
        && let Some(Operand::Reg(reg)) = inst.operands.first_mut()
    {
        reg.dwords += 1;
    }
    // Prefetches and scalar cache controls have the cache policy bits but do not use them.
    if row.memory.addressing == Some(Addressing::ScalarBase) && !row.memory.policy {
        inst.mods.cpol = 0;
    }
    let soffset = row.operand_index("soffset").map(|index| inst.operands[index]);
    // The number has a sign even with a buffer, where the assembler takes none.
    let fields = &row.memory.fields;
    if let Some(field) = fields.offset.filter(|field| field.signed) {
        let shift = 32 - field.width();
        inst.mods.offset = inst.mods.offset.wrapping_shl(shift) >> shift;
    }
    if row.memory.addressing == Some(Addressing::ScalarBase) && soffset.is_some() && !row.memory.prefetch {
        // The offset field holds the SGPR's number, or nothing.
        let register = match fields.imm {
            Some(imm) => imm.get(input.bits) == 0,
            None => !row.memory.zero_offset && inst.mods.offset == 0,
        };
        if register {
            inst.mods.control = 1;
            inst.mods.offset = 0;
        }
    }
    Ok(())
}

/// An operand that its class does not decide.
pub(super) fn custom_operand(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    index: usize,
    code: u32,
    mods: &Mods,
) -> Option<Operand> {
    let spec = &row.operands[index];
    let fields = &row.memory.fields;
    let value = |field: Option<&'static Field>| field.map(|field| field.get(input.bits));
    let vgpr = |dwords| Some(Operand::Reg(Reg::new(RegFile::Vgpr, code as u16, dwords)));
    let is_default =
        |field: Option<&Field>| field.is_some_and(|field| field.get(input.bits) == field.default);
    match (spec.role, row.memory.addressing?) {
        ("vaddr", Addressing::Scratch) => {
            let present = match value(fields.sve) {
                Some(sve) => sve != 0,
                None => is_default(fields.saddr) && !is_default(fields.no_address),
            };
            if present { vgpr(1) } else { Some(Operand::Off) }
        }
        ("vaddr", Addressing::Buffer | Addressing::TypedBuffer) => {
            match u8::from(mods.offen) + u8::from(mods.idxen) {
                _ if mods.addr64 => vgpr(2),
                0 => Some(Operand::Off),
                dwords => vgpr(dwords),
            }
        }
        ("vaddr", _) => {
            let off = fields.saddr.is_none() || is_default(fields.saddr);
            vgpr(if off { 2 } else { 1 })
        }
        // The only operand is there, if as NULL.
        ("saddr", _) if is_default(fields.saddr) && row.operands.len() > 1 => Some(Operand::Off),
        ("saddr", Addressing::Scratch) if is_default(fields.no_address) => Some(Operand::Off),
        ("saddr", _) => code::operand_of(input.machine, Class::ScalarReg, &spec.ty, code),
        ("soffset", Addressing::ScalarBase) => match fields.imm {
            Some(_) if value(fields.soe) == Some(1) => scalar_offset(input, row, index, code),
            Some(imm) if imm.get(input.bits) != 0 => Some(Operand::Off),
            Some(_) => {
                let code = value(fields.offset)?;
                if input.machine.facts().smem_literal_offset && code == code::LITERAL {
                    return Some(Operand::Literal(0));
                }
                // SMEM has more bits than a register's number needs.
                let code = if encoding.format.dwords > 1 { code & 0x7f } else { code };
                scalar_offset(input, row, index, code)
            }
            None => match scalar_offset(input, row, index, code) {
                // Where text need not say a number of 0, it says NULL instead.
                Some(Operand::Special(Special::Null))
                    if !row.memory.prefetch && (row.memory.zero_offset || mods.offset != 0) =>
                {
                    Some(Operand::Off)
                }
                other => other,
            },
        },
        ("soffset", _) => code::operand_of(input.machine, row.memory.soffset_class?, &spec.ty, code)
            .filter(|operand| !matches!(operand, Operand::Literal(_) | Operand::Literal64(_))),
        _ => None,
    }
}

fn scalar_offset(input: &Input, row: &Row, index: usize, code: u32) -> Option<Operand> {
    let machine: Machine = input.machine;
    code::operand_of(machine, Class::ScalarReg, &row.operands[index].ty, code).filter(|_| code < 128)
}
