//! Statements of the memory family.
//!
//! Operands come first, then the modifiers in LLVM's order; cache policy words stand in any order among themselves. As
//! LLVM has it, a comma may follow any operand and any modifier and need not: `buffer_load_dword v0, v1, s[0:3], 0, offen
//! offset:16,` is read as it would be without the last three.

use super::operand::RegisterText;
use super::{ParseError, Parser, Suffix, empty};
use crate::format::Addressing;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::{Half, Inst, Operand, Reg, RegFile, Special};

mod buffer;
mod expected;
mod lds;
mod policy;
mod scalar;
mod swizzle;

pub(super) use policy::parse as cache_policy;

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    if suffix.is_some() {
        return Err(p.error_at(0, "invalid instruction"));
    }
    // A comma follows something.
    p.skip_space();
    if p.rest().starts_with(',') {
        return Err(p.error("unexpected comma"));
    }
    p.first_of(rows, |p, row| {
        let encoding = row.encodings.first().ok_or_else(|| p.error("invalid instruction"))?;
        let mut inst = empty(row.id, encoding.form);
        match row.memory.addressing {
            Some(Addressing::ScalarBase) => scalar::parse(p, row, encoding, &mut inst)?,
            Some(addressing) => vector(p, row, encoding, addressing, &mut inst)?,
            None => return Err(p.error("invalid instruction")),
        }
        if !p.at_end() {
            return Err(p.error(expected::words(p, row, encoding)));
        }
        Ok(inst)
    })
}

/// All but scalar memory.
fn vector(
    p: &mut Parser,
    row: &Row,
    encoding: &Encoding,
    addressing: Addressing,
    inst: &mut Inst,
) -> Result<(), ParseError> {
    for spec in encoding.specs(row) {
        let read = match spec.role {
            // A flat address is all that is needed; an offset to one in SGPRs has a second operand.
            "saddr" if addressing == Addressing::Flat && !p.at_register() => Ok(Operand::Off),
            "vaddr" => vector_address(p, addressing),
            "saddr" => scalar_address(p, row, spec, addressing),
            "soffset" => buffer::offset_register(p, row, encoding, spec),
            "vdata" if addressing == Addressing::Buffer => buffer::data(p, encoding, spec, inst),
            "vdst" if row.memory.unaligned => unaligned(p, spec),
            _ => data(p, encoding, spec),
        };
        let operand = read.map_err(|error| expected::name(p, error, row, spec))?;
        inst.operands.push(operand);
        p.eat(",");
        if addressing == Addressing::TypedBuffer && spec.role == "srsrc" {
            buffer::early_format(p, inst)?;
        }
    }
    let end = p.pos;
    same_file(p, encoding, row, inst)?;
    match addressing {
        Addressing::Lds => lds::modifiers(p, row, encoding, inst)?,
        Addressing::Lds2 => lds::two_offsets(p, row, encoding, inst)?,
        Addressing::Buffer | Addressing::TypedBuffer => buffer::modifiers(p, row, encoding, inst)?,
        Addressing::Flat | Addressing::Global | Addressing::Scratch => flat_modifiers(p, row, inst)?,
        Addressing::Descriptor => policy::parse(p, row, inst)?,
        Addressing::ScalarBase => {}
    }
    addresses_fit(p, row, addressing, inst, end)
}

/// A VGPR or two, or `off`.
fn vector_address(p: &mut Parser, addressing: Addressing) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    if addressing != Addressing::Flat && p.eat_word("off") {
        return Ok(Operand::Off);
    }
    let align = u16::from(p.machine.facts().vgpr_tuple_alignment);
    match p.register()? {
        Some(RegisterText::Numbered(
            reg @ Reg { file: RegFile::Vgpr, dwords: 1 | 2, half: Half::Whole, .. },
        )) if reg.dwords == 1 || reg.index % align == 0 => Ok(Operand::Reg(reg)),
        _ => Err(p.error_at(start, "invalid operand for instruction")),
    }
}

/// An SGPR or two, or `off`.
fn scalar_address(
    p: &mut Parser,
    row: &Row,
    spec: &OperandSpec,
    addressing: Addressing,
) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let only = row.operands.len() == 1;
    if addressing != Addressing::Flat && !only && p.eat_word("off") {
        return Ok(Operand::Off);
    }
    let wrong = |p: &Parser| p.error_at(start, "invalid operand for instruction");
    let register = p.register()?.ok_or_else(|| wrong(p))?;
    let spec = OperandSpec { class: Class::ScalarReg, ..spec.clone() };
    let scratch = addressing == Addressing::Scratch;
    let sve = row.memory.fields.sve.is_some();
    // As LLVM has it: an offset of scratch may be nothing or EXEC's low half.
    match p.place_register(&spec, register) {
        Some(Operand::Special(Special::Null)) if scratch && sve => Ok(Operand::Off),
        Some(operand @ Operand::Special(Special::Null)) if only => Ok(operand),
        // Where NULL's code is the one that says that there is no base.
        Some(Operand::Special(Special::Null))
            if row.memory.any_saddr
                && row.operand_index("vaddr").is_none()
                && row.memory.fields.saddr.map(|field| field.default)
                    == p.machine.facts().null.map(u32::from) =>
        {
            Ok(Operand::Off)
        }
        Some(operand @ Operand::Special(Special::ExecLo)) if scratch => Ok(operand),
        Some(operand @ Operand::Special(Special::Exec)) if row.memory.any_saddr => Ok(operand),
        Some(Operand::Special(Special::Null | Special::Exec | Special::ExecLo | Special::ExecHi)) | None => {
            Err(wrong(p))
        }
        Some(operand) => Ok(operand),
    }
}

/// A register operand of a memory instruction: EXEC is no data, but LLVM takes it as a scalar base.
fn data(p: &mut Parser, encoding: &Encoding, spec: &OperandSpec) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    let operand = p.operand(encoding, spec)?;
    let scalar = encoding.format.addressing == Some(Addressing::ScalarBase);
    let refused = match operand {
        Operand::Special(Special::Exec) => spec.role != "sbase",
        Operand::Special(Special::ExecLo | Special::ExecHi) => true,
        // A base of 64 bits may be NULL where its code is even, as the field has no lowest bit.
        Operand::Special(Special::Null) if spec.role == "sbase" => {
            spec.ty.dwords() > 2 || p.machine.facts().null.is_none_or(|code| code % 2 != 0)
        }
        Operand::Special(Special::Null) => !scalar,
        Operand::Special(Special::M0) => spec.role == "sdata",
        Operand::Reg(Reg { file: RegFile::Agpr, .. }) if !p.machine.facts().agpr_operands => true,
        // GWS takes its data as the first of a pair.
        Operand::Reg(reg) if spec.role == "gwsdata" => {
            if reg.index % u16::from(p.machine.facts().vgpr_tuple_alignment) != 0 {
                return Err(p.error_at(start, "vgpr must be even aligned"));
            }
            false
        }
        _ => false,
    };
    if refused { Err(p.error_at(start, "invalid operand for instruction")) } else { Ok(operand) }
}

/// A result that may start at an odd register.
fn unaligned(p: &mut Parser, spec: &OperandSpec) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    match p.register()? {
        Some(RegisterText::Numbered(reg))
            if matches!(reg.file, RegFile::Vgpr | RegFile::Agpr) && reg.dwords == spec.ty.dwords() =>
        {
            Ok(Operand::Reg(reg))
        }
        _ => Err(p.error_at(start, "invalid operand for instruction")),
    }
}

/// All data operands are VGPRs or all are accumulation VGPRs: one bit decides.
fn same_file(p: &Parser, encoding: &Encoding, row: &Row, inst: &Inst) -> Result<(), ParseError> {
    let mut files = encoding.specs(row).zip(&inst.operands).filter_map(|(spec, operand)| match operand {
        Operand::Reg(reg) if spec.class == Class::VgprOrAgpr => Some(reg.file),
        _ => None,
    });
    match files.next() {
        Some(first) if files.any(|file| file != first) => {
            Err(p.error("data operands must all be VGPRs or all AGPRs"))
        }
        _ => Ok(()),
    }
}

fn flat_modifiers(p: &mut Parser, row: &Row, inst: &mut Inst) -> Result<(), ParseError> {
    if !row.operands.is_empty() {
        let facts = p.machine.facts();
        let flat = row.memory.addressing == Some(Addressing::Flat);
        let offset = if flat { facts.flat_offset } else { facts.global_offset };
        inst.mods.offset = match offset {
            Some(offset) => number(p, offset.min(), offset.max(), &expected::offset(offset))?,
            None => number(p, 0, 0, "flat offset modifier is not supported on this GPU")?,
        };
    }
    if row.memory.policy {
        policy::parse(p, row, inst)?;
    }
    lds_word(p, row)
}

/// `lds`, where the row has it.
fn lds_word(p: &mut Parser, row: &Row) -> Result<(), ParseError> {
    if row.memory.lds && !p.eat_word("lds") {
        return Err(p.error("lds modifier is required"));
    }
    p.eat(",");
    Ok(())
}

/// Whether address registers, modifiers and the row go together.
fn addresses_fit(
    p: &Parser,
    row: &Row,
    addressing: Addressing,
    inst: &Inst,
    at: usize,
) -> Result<(), ParseError> {
    let operand = |role: &str| row.operand_index(role).and_then(|index| inst.operands.get(index));
    let Some(vaddr) = operand("vaddr") else { return Ok(()) };
    let dwords = match vaddr {
        Operand::Reg(reg) => reg.dwords,
        _ => 0,
    };
    let no_saddr = matches!(operand("saddr"), None | Some(Operand::Off));
    let needed = match addressing {
        Addressing::Scratch => {
            // Without a bit that says so there cannot be both, and none of them only where a code says it.
            let fields = &row.memory.fields;
            let both = dwords > 0 && !no_saddr;
            let neither = dwords == 0 && no_saddr && fields.no_address.is_none();
            if fields.sve.is_none() && both {
                return Err(p.error_at(at, "expected an offset in a VGPR or in an SGPR, not in both"));
            }
            if fields.sve.is_none() && neither {
                return Err(p.error_at(at, "expected an offset in a VGPR or in an SGPR"));
            }
            dwords.min(1)
        }
        Addressing::Buffer | Addressing::TypedBuffer if inst.mods.addr64 => 2,
        Addressing::Buffer | Addressing::TypedBuffer => u8::from(inst.mods.offen) + u8::from(inst.mods.idxen),
        _ if no_saddr => 2,
        _ => 1,
    };
    if dwords == needed {
        return Ok(());
    }
    let text = |dwords: u8| match dwords {
        0 => "off".to_owned(),
        1 => "a VGPR".to_owned(),
        n => format!("{n} VGPRs"),
    };
    let message =
        format!("vaddr: expected {} with these operands and modifiers, not {}", text(needed), text(dwords));
    Err(p.error_at(at, message))
}

/// `offset:N` and a comma, 0 if absent.
fn number(p: &mut Parser, low: i64, high: i64, message: &str) -> Result<i32, ParseError> {
    named_number(p, "offset", low, high, message)
}

/// `name:N` and a comma, 0 if absent.
fn named_number(p: &mut Parser, name: &str, low: i64, high: i64, message: &str) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    if !p.eat_key(name) {
        return Ok(0);
    }
    let value = p.absolute()?;
    if !(low..=high).contains(&value) {
        return Err(p.error_at(start, message));
    }
    p.eat(",");
    Ok(value as i32)
}
