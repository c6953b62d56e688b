//! What the readers and writers of the matrix family share: operand places that a class does not describe, and
//! operand widths that depend on modifiers, constants of packed operands.

use smallvec::SmallVec;

use crate::format::Format;
use crate::row::{Encoding, Row};
use crate::ty::{Kind, Type};
use crate::{Isa, Mods, Operand, Reg, RegFile, Special, Table, inline_float_bits};

/// Registers that the role's operand takes: for A and B of `f8f6f4` instructions their data format decides, else
/// the row. `None` for formats that gfx1250 does not have.
pub(crate) fn dwords(isa: Isa, row: &Row, role: &str, ty: &Type, mods: &Mods) -> Option<u8> {
    let format = match role {
        "srca" => mods.cbsz,
        "srcb" => mods.blgp,
        _ => return Some(ty.dwords()),
    };
    if row.attribute("matrix") != Some("f8f6f4") {
        return Some(ty.dwords());
    }
    // 64 or 128 elements a lane of 8, 6 or 4 bits: the row has those of 8.
    let eight = ty.dwords();
    match format {
        0 | 1 => Some(eight),
        2 | 3 => Some(eight / 4 * 3),
        4 => Some(eight / 2),
        _ => (isa == Isa::Gfx950).then_some(eight),
    }
}

/// Whether the operand may stand where the role is; what may not can still be decoded and printed.
pub(crate) fn fits_role(isa: Isa, role: &str, operand: &Operand) -> bool {
    match (role, operand) {
        ("srca" | "srcb" | "srcc" | "mdst", Operand::Reg(Reg { file: RegFile::Agpr, .. })) => {
            isa == Isa::Gfx950
        }
        ("asrc" | "adst", Operand::Reg(reg)) => reg.file == RegFile::Agpr,
        (_, Operand::Reg(reg)) => reg.file == RegFile::Vgpr,
        ("srcc", Operand::Int(_) | Operand::Float(_)) => true,
        _ => false,
    }
}

/// The pair formats: the names of the X and Y halves.
pub(crate) fn halves(format: &Format) -> Option<(&'static str, &'static str)> {
    match format.name {
        "VOPD" => Some(("VOPDX", "VOPDY")),
        "VOPD3" => Some(("VOPD3X", "VOPD3Y")),
        _ => None,
    }
}

/// The row and encoding of a half.
pub(crate) fn find_half(
    table: &'static Table,
    bits: u128,
    name: &str,
) -> Result<(&'static Row, &'static Encoding), Option<u32>> {
    let mut opcode = None;
    for (index, format) in table.formats_of(bits).filter(|(_, format)| format.name == name) {
        match table.find(index, bits) {
            Some(found) => return Ok(found),
            None => opcode = Some(format.opcode_of(bits)),
        }
    }
    Err(opcode)
}

/// The inline constant that reads as these 32 bits where an operand of this type stands: pairs of 16-bit floats
/// compare the low half with the high half 0, pairs of integers and everything else compare as 32 bits, single
/// 16-bit floats compare their low half.
pub(crate) fn inline_of(ty: &Type, bits: u32) -> Option<Operand> {
    let float16 = ty.elem_bits == 16 && ty.is_float();
    let value = if float16 && ty.lanes == 1 { bits as u16 as i16 as i32 } else { bits as i32 };
    if (-16..=64).contains(&value) {
        return Some(Operand::Int(value as i8));
    }
    let pattern = if float16 && ty.lanes == 1 { bits & 0xffff } else { bits };
    let width = if float16 { 16 } else { 32 };
    let bfloat = ty.kind == Kind::Bfloat;
    (240..=248)
        .find(|&code| inline_float_bits(code, width, bfloat) == Some(u64::from(pattern)))
        .map(Operand::Float)
}

/// How many scalar values the operands read over the constant bus: different SGPRs and special registers, and
/// one for literals. NULL is free.
pub(crate) fn scalar_reads<'a>(operands: impl Iterator<Item = &'a Operand>) -> usize {
    let mut seen: SmallVec<[&Operand; 6]> = SmallVec::new();
    let mut literal = 0;
    for operand in operands {
        match operand {
            Operand::Literal(_) | Operand::Literal64(_) => literal = 1,
            Operand::Special(Special::Null) => {}
            Operand::Reg(Reg { file: RegFile::Sgpr | RegFile::Ttmp, .. }) | Operand::Special(_) => {
                if !seen.contains(&operand) {
                    seen.push(operand);
                }
            }
            _ => {}
        }
    }
    seen.len() + literal
}
