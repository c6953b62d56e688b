//! Decoding of the matrix family beyond what its rows say: register files chosen by bits, widths chosen by data
//! formats, DPP, and VOPD pairs.
//!
//! Registers in places where they cannot be (SGPRs as A of a multiplication) are decoded as LLVM does; the
//! printer marks them. Encodings that LLVM 22 refuses although the hardware takes them (any third source of the
//! scale load) are accepted.

use super::{DecodeError, Input, decode_as};
use crate::format::Format;
use crate::matrix::{Trait, dwords, find_half, halves};
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::ty::Type;
use crate::{Dpp, Form, Inst, Machine, Mods, Operand, Reg, RegFile, Table, code};

/// Corrects an instruction whose fields have been read.
pub(super) fn finish(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), DecodeError> {
    let agprs_end = match (row.operand_index("mdst"), inst.operands.first()) {
        (Some(0), Some(Operand::Reg(d))) if d.file == RegFile::Agpr => {
            u32::from(d.index) + u32::from(d.dwords)
        }
        _ => 0,
    };
    if agprs_end > 256 {
        return Err(invalid(row, "register tuple out of range"));
    }
    inst.mods.dpp = dpp(encoding, input.bits);
    match row.matrix {
        Trait::F8f6f4 => {
            let (mut narrow, mut constant) = (false, false);
            for (spec, operand) in encoding.specs(row).zip(&mut inst.operands) {
                let Some(dwords) = dwords(row, spec.role, &spec.ty, &inst.mods) else {
                    return Err(invalid(row, "reserved matrix data format"));
                };
                narrow |= dwords != spec.ty.dwords();
                constant |= matches!(spec.role, "srca" | "srcb") && !matches!(operand, Operand::Reg(_));
                match operand {
                    // LLVM has no trap temporaries for the narrower formats.
                    Operand::Reg(reg) if reg.file == RegFile::Ttmp && dwords != spec.ty.dwords() => {
                        return Err(invalid(row, "register tuple does not exist"));
                    }
                    // SGPR tuples of 12 do not exist.
                    Operand::Reg(reg)
                        if dwords == 12 && matches!(reg.file, RegFile::Sgpr | RegFile::Ttmp) =>
                    {
                        return Err(invalid(row, "register tuple does not exist"));
                    }
                    Operand::Reg(reg) => reg.dwords = dwords,
                    _ => {}
                }
            }
            if narrow && constant {
                return Err(invalid(row, "matrix operand is no register"));
            }
        }
        Trait::Mix => {
            inst.mods.abs = std::mem::take(&mut inst.mods.neg_hi);
        }
        _ => {}
    }
    Ok(())
}

fn invalid(row: &Row, reason: &'static str) -> DecodeError {
    DecodeError::Invalid { mnemonic: row.mnemonic, reason }
}

/// The DPP control of a DPP form.
fn dpp(encoding: &Encoding, bits: u128) -> Option<Dpp> {
    let get = |name| encoding.format.field(name).map_or(0, |field| field.get(bits));
    match encoding.form {
        Form::E64Dpp16 => Some(Dpp::Row {
            ctrl: get("dpp_ctrl") as u16,
            row_mask: get("row_mask") as u8,
            bank_mask: get("bank_mask") as u8,
            bound_ctrl: get("bound_ctrl") != 0,
            fi: get("fi") != 0,
        }),
        // The source code tells whether inactive lanes are read: 233 or 234.
        Form::E64Dpp8 => Some(Dpp::Lanes8 { sel: get("dpp8"), fi: bits >> 32 & 1 == 0 }),
        _ => None,
    }
}

/// An operand that its class does not decide.
pub(super) fn custom_operand(
    input: &Input,
    row: &Row,
    _encoding: &Encoding,
    index: usize,
    code: u32,
    _mods: &Mods,
) -> Option<Operand> {
    let spec = row.operands.get(index)?;
    let dwords = spec.ty.dwords();
    let vector = |file| Some(Operand::Reg(Reg::new(file, (code & 0xff) as u16, dwords)));
    match spec.role {
        // Bit 8 of a source code is VGPR; bit 9 here is ACC or ACC_CD.
        "srca" | "srcb" | "srcc" if code & 0x100 != 0 => {
            // VGPR tuples may run past v255 (LLVM knows more than are here), AGPR tuples have no such names.
            let agpr = code & 0x200 != 0;
            if agpr && (code & 0xff) + u32::from(dwords) > 256 {
                return None;
            }
            vector(if agpr { RegFile::Agpr } else { RegFile::Vgpr })
        }
        "srca" | "srcb" | "srcc" => no_vector_register(input.machine, &spec.ty, code & 0xff),
        "asrc" if code & 0x100 != 0 => vector(RegFile::Agpr),
        "adst" => vector(RegFile::Agpr),
        "asrc" | "index" | "vscalea" | "vscaleb" | "smask" => {
            no_vector_register(input.machine, &spec.ty, code & 0xff)
        }
        _ => None,
    }
}

/// A source that is neither VGPR nor literal.
fn no_vector_register(machine: Machine, ty: &Type, code: u32) -> Option<Operand> {
    match code::operand_of(machine, Class::VectorSrc, ty, code)? {
        Operand::Literal(_) | Operand::Literal64(_) => None,
        Operand::Reg(reg) if !tuple_exists(machine, reg.file, u32::from(reg.index), reg.dwords) => None,
        // Tuples of more than 64 bits have no name that is not a number.
        Operand::Special(_) if ty.dwords() > 2 => None,
        operand => Some(operand),
    }
}

/// Whether `dwords` registers from `index` exist; scalar tuples begin at a multiple of their size or of 4.
fn tuple_exists(machine: Machine, file: RegFile, index: u32, dwords: u8) -> bool {
    let aligned = match dwords {
        0 | 1 => index,
        2 => index & !1,
        _ => index & !3,
    };
    match file {
        RegFile::Sgpr | RegFile::Ttmp if dwords > 16 => false,
        // Tuples may run into FLAT_SCRATCH, which s102 and s103 are on gfx8 and gfx9.
        RegFile::Sgpr => aligned + u32::from(dwords) <= u32::from(machine.facts().sgprs.max(104)),
        RegFile::Ttmp => aligned + u32::from(dwords) <= 16,
        RegFile::Vgpr | RegFile::Agpr => true,
    }
}

/// Decodes a format whose instructions are pairs (VOPD); `None` if it is not one.
pub(super) fn decode_pair(input: &Input, format: &'static Format) -> Option<Result<Inst, DecodeError>> {
    let (x, y) = halves(format)?;
    if !input.machine.wave32() {
        let reason = "pairs are for waves of 32 lanes";
        return Some(Err(DecodeError::Invalid { mnemonic: format.name, reason }));
    }
    Some(pair(input, x, y))
}

fn pair(input: &Input, x: Form, y: Form) -> Result<Inst, DecodeError> {
    let mut first = half(input, x)?;
    let mut second = half(input, y)?;
    if y == Form::VopdY {
        // VDSTY lacks its lowest bit: one destination is even and the other odd.
        if let (Some(Operand::Reg(x)), Some(Operand::Reg(y))) =
            (first.operands.first(), second.operands.first_mut())
        {
            y.index |= !x.index & 1;
        }
    }
    // Both halves have read the same literal, if any.
    first.size = first.size.max(second.size);
    second.size = first.size;
    first.second = Some(Box::new(second));
    Ok(first)
}

fn half(input: &Input, form: Form) -> Result<Inst, DecodeError> {
    let (row, encoding) =
        find_half(Table::of(input.machine), input.bits, form, input.unused).map_err(|unknown| {
            let (format, opcode) = unknown.unwrap_or(("VOPD", 0));
            DecodeError::UnknownOpcode { format, opcode }
        })?;
    let inst = decode_as(input, row, encoding)?;
    if inst.operands.iter().any(|operand| matches!(operand, Operand::Literal64(_))) {
        return Err(invalid(row, "a pair has no 64-bit literal"));
    }
    Ok(inst)
}
