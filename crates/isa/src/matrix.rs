//! What the readers and writers of the matrix family share: operand places that a class does not describe, and
//! operand widths that depend on modifiers, constants of packed operands.

use smallvec::SmallVec;
use wavemark_target::Property;

use crate::decode::Unused;
use crate::format::Format;
use crate::row::{Encoding, OperandSpec, Row};
use crate::ty::{Kind, Type};
use crate::{Form, Machine, Mods, Operand, Reg, RegFile, Special, Table, inline_float_bits};

/// What a row's `matrix=` attribute says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trait {
    /// Nothing.
    #[default]
    Plain,
    /// `mfma`: a dense multiplication of CDNA.
    Mfma,
    /// `smfmac`: a sparse one.
    Smfmac,
    /// `wmma`: a dense multiplication of RDNA and CDNA 5.
    Wmma,
    /// `swmmac`: a sparse one.
    Swmmac,
    /// `f8f6f4`: a dense one whose data formats (`cbsz` and `blgp`, `matrix_a_fmt` and `matrix_b_fmt`) are modifiers.
    F8f6f4,
    /// `ld_scale`: loads the scales for the next multiplication.
    LdScale,
    /// `mix`: mixed precision: `op_sel_hi` says which sources are halves, the sources have `neg` and `abs`.
    Mix,
    /// `dot2`: a dot product of two elements: CDNA 3 has no `op_sel` for it.
    Dot2,
    /// `reversed`: an operation whose operands are in reverse order: takes no `lds_direct`.
    Reversed,
    /// `miscounted`: a half of VOPD3 whose operands LLVM 22 miscounts (module [`crate::pair`]).
    Miscounted,
}

impl Trait {
    /// Reads the attribute's value; none for an unknown one.
    pub(crate) fn parse(value: &str) -> Option<Trait> {
        Some(match value {
            "mfma" => Trait::Mfma,
            "smfmac" => Trait::Smfmac,
            "wmma" => Trait::Wmma,
            "swmmac" => Trait::Swmmac,
            "f8f6f4" => Trait::F8f6f4,
            "ld_scale" => Trait::LdScale,
            "mix" => Trait::Mix,
            "dot2" => Trait::Dot2,
            "reversed" => Trait::Reversed,
            "miscounted" => Trait::Miscounted,
            _ => return None,
        })
    }
}

/// Registers that the role's operand takes: for A and B of `f8f6f4` instructions their data format decides, else
/// the row. `None` for formats that gfx1250 does not have.
pub(crate) fn dwords(row: &Row, role: &str, ty: &Type, mods: &Mods) -> Option<u8> {
    let format = match role {
        "srca" => mods.cbsz,
        "srcb" => mods.blgp,
        _ => return Some(ty.dwords()),
    };
    if row.matrix != Trait::F8f6f4 {
        return Some(ty.dwords());
    }
    // 64 or 128 elements a lane of 8, 6 or 4 bits: the row has those of 8.
    let eight = ty.dwords();
    match format {
        0 | 1 => Some(eight),
        2 | 3 => Some(eight / 4 * 3),
        4 => Some(eight / 2),
        // CBSZ and BLGP have values that mean nothing else.
        _ => row.encodings.first()?.format.field("cbsz").map(|_| eight),
    }
}

/// Whether the operand may stand where the role is; what may not can still be decoded and printed.
pub(crate) fn fits_role(machine: Machine, role: &str, operand: &Operand) -> bool {
    match (role, operand) {
        ("srca" | "srcb" | "srcc" | "mdst", Operand::Reg(Reg { file: RegFile::Agpr, .. })) => {
            machine.has(Property::AGPRS)
        }
        ("asrc" | "adst", Operand::Reg(reg)) => reg.file == RegFile::Agpr,
        (_, Operand::Reg(reg)) => reg.file == RegFile::Vgpr,
        ("srcc", Operand::Int(_) | Operand::Float(_)) => true,
        _ => false,
    }
}

/// What LLVM takes the constants of C for, where that is not the matrix's own type: in gfx11's WMMA (the one that has
/// `op_sel`) doubles where C has 8 registers, singles where it has 4.
pub(crate) fn constants_of_c(row: &Row, encoding: &Encoding, spec: &OperandSpec) -> Option<&'static str> {
    let other = row.matrix == Trait::Wmma && encoding.format.field("op_sel").is_some() && spec.role == "srcc";
    other.then_some(if spec.ty.dwords() == 8 { "f64" } else { "f32" })
}

/// The forms of the halves of a pair's format.
pub(crate) fn halves(format: &Format) -> Option<(Form, Form)> {
    match format.form {
        _ if !format.pair => None,
        Form::VopdX => Some((Form::VopdX, Form::VopdY)),
        _ => Some((Form::Vopd3X, Form::Vopd3Y)),
    }
}

/// The row and encoding of a half.
pub(crate) fn find_half(
    table: &'static Table,
    bits: u128,
    form: Form,
    unused: Unused,
) -> Result<(&'static Row, &'static Encoding), Option<(&'static str, u32)>> {
    let mut unknown = None;
    for (index, format) in table.formats_of(bits).filter(|(_, format)| format.form == form && !format.pair) {
        match table.find(index, bits, unused) {
            Some(found) => return Ok(found),
            None => unknown = Some((format.name, format.opcode_of(bits))),
        }
    }
    Err(unknown)
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
            // LLVM counts neither.
            Operand::Special(Special::Null | Special::LdsDirect) => {}
            Operand::Reg(Reg { file: RegFile::Sgpr | RegFile::Ttmp, .. }) | Operand::Special(_)
                if !seen.contains(&operand) =>
            {
                seen.push(operand);
            }
            _ => {}
        }
    }
    seen.len() + literal
}

#[cfg(test)]
mod tests {
    use wavemark_target::Processor;

    use super::*;

    #[test]
    fn widths_follow_the_data_format() {
        let row = |machine, name| Table::of(machine).by_mnemonic(name).next().expect("row");
        let width = |machine, name, format| {
            let row = row(machine, name);
            let spec = &row.operands[1];
            dwords(row, spec.role, &spec.ty, &Mods { cbsz: format, ..Mods::default() })
        };
        let mfma = "v_mfma_f32_16x16x128_f8f6f4";
        assert_eq!(
            [0, 1, 2, 3, 4, 7].map(|f| width(Machine::new(Processor::Gfx950), mfma, f)),
            [8, 8, 6, 6, 4, 8].map(Some)
        );
        let wmma = "v_wmma_scale_f32_16x16x128_f8f6f4";
        assert_eq!(
            [0, 2, 4].map(|f| width(Machine::new(Processor::Gfx1250), wmma, f)),
            [16, 12, 8].map(Some)
        );
        assert_eq!(width(Machine::new(Processor::Gfx1250), wmma, 5), None);
        assert_eq!(width(Machine::new(Processor::Gfx1250), "v_wmma_f32_32x16x128_f4", 0), Some(16));
    }

    #[test]
    fn literals_that_constants_would_replace() {
        let of = |ty, bits| inline_of(&Type::parse(ty).expect("type"), bits);
        assert_eq!(of("v2f16", 0x3c00), Some(Operand::Float(242)));
        assert_eq!(of("v2f16", 0x3c00_3c00), None);
        assert_eq!(of("v2f16", 0xffff), None);
        assert_eq!(of("v2i16", 0x3f80_0000), Some(Operand::Float(242)));
        assert_eq!(of("v2i16", 0xffff_fff0), Some(Operand::Int(-16)));
        assert_eq!(of("f16", 0x1234_3c00), Some(Operand::Float(242)));
        assert_eq!(of("bf16", 0x3f80), Some(Operand::Float(242)));
        assert_eq!(of("f32", 65), None);
    }
}
