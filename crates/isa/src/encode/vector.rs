//! Encoding of the vector family beyond what its rows say; the inverse of the decoder's module.

use super::EncodeError;
use crate::format::Field;
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::vector::{DPP8, DPP8_FI};
use crate::vector::{is_wide, position};
use crate::{Dpp, Form, Half, Inst, Machine, Operand, Reg, RegFile, SdwaSel, SdwaUnused, code};

/// Corrects the bits of an instruction whose operands and modifiers have been put.
pub(super) fn finish(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    inst: &Inst,
    mut bits: u128,
) -> Result<u128, EncodeError> {
    let traits = row.traits;
    let modifier = |name| EncodeError::InvalidModifier { mnemonic: row.mnemonic, name };
    let wide = is_wide(inst.form);
    let mods = &inst.mods;
    if mods.clamp && !(traits.clamp && wide) && inst.form != Form::Sdwa {
        return Err(modifier("clamp"));
    }
    if mods.omod != crate::OutMod::None && !(traits.omod && wide) && inst.form != Form::Sdwa {
        return Err(modifier("omod"));
    }
    if (mods.neg | mods.abs) & !traits.mods != 0 || (inst.form == Form::E32 && (mods.neg | mods.abs) != 0) {
        return Err(modifier("neg"));
    }
    if wide {
        let control = u128::from(mods.control);
        if traits.bitop3 {
            bits |= (control & 7) << 61 | (control >> 3 & 7) << 8 | (control >> 6 & 3) << 59;
        } else if traits.byte_sel {
            bits |= (control & 1) << 12 | (control >> 1 & 1) << 11;
        } else if traits.dst_byte_sel {
            bits |= (control & 3) << 13;
        } else if traits.scale_sel {
            bits |= (control & 15) << 11;
        } else if traits.swap_control {
            bits |= (control & 3) << 11;
        }
    }
    match mods.dpp {
        Some(Dpp::Row { ctrl, row_mask, bank_mask, bound_ctrl, fi })
            if matches!(inst.form, Form::Dpp16 | Form::E64Dpp16) =>
        {
            let dword = u128::from(ctrl & 0x1ff) << 8
                | u128::from(fi) << 18
                | u128::from(bound_ctrl) << 19
                | u128::from(bank_mask & 15) << 24
                | u128::from(row_mask & 15) << 28;
            bits |= dword << (32 * (encoding.format.dwords - 1));
        }
        Some(Dpp::Lanes8 { sel, fi }) if matches!(inst.form, Form::Dpp8 | Form::E64Dpp8) => {
            bits |= u128::from(sel & 0xff_ffff) << (32 * (encoding.format.dwords - 1) + 8);
            if fi {
                bits ^= u128::from(DPP8 ^ DPP8_FI) << if wide { 32 } else { 0 };
            }
        }
        None if matches!(inst.form, Form::E32 | Form::E64 | Form::Native | Form::Sdwa) => {}
        _ => return Err(modifier("dpp")),
    }
    if inst.form == Form::Sdwa {
        let sdwa = mods.sdwa.ok_or_else(|| modifier("sdwa"))?;
        bits |= u128::from(select(sdwa.src0_sel)) << 48 | u128::from(sdwa.sext & 1) << 51;
        if traits.sources & 2 != 0 {
            bits |= u128::from(select(sdwa.src1_sel)) << 56 | u128::from(sdwa.sext >> 1 & 1) << 59;
        } else {
            // The fields of a second source that is not there are 0.
            bits &= !encoding.format.field("idle_src1").map_or(0, Field::mask);
        }
        if traits.vdst {
            let unused = match sdwa.dst_unused {
                SdwaUnused::Pad => 0u128,
                SdwaUnused::Sext => 1,
                SdwaUnused::Preserve => 2,
            };
            bits |= u128::from(select(sdwa.dst_sel)) << 40 | unused << 43;
        }
        // VCC as an explicit destination is the field without its mark.
        if let (Some(&(0, Some(field))), Some(first)) = (encoding.operands.first(), inst.operands.first())
            && row.operands[0].role == "sdst"
            && *first == Operand::Special(crate::vector::vcc(&row.operands[0].ty))
        {
            bits &= !field.mask();
        }
    }
    if traits.true16 != 0 {
        for (&(index, field), operand) in encoding.operands.iter().zip(&inst.operands) {
            let Some(position) = position(&row.operands[index]) else { continue };
            let Operand::Reg(Reg { file: RegFile::Vgpr, index: number, half: Half::Hi, .. }) = operand else {
                continue;
            };
            if wide {
                bits |= 1 << (11 + position);
            } else if let Some(field) = field {
                if *number > 0x7f {
                    return Err(EncodeError::InvalidOperand {
                        mnemonic: row.mnemonic,
                        role: row.operands[index].role,
                    });
                }
                let Some(number) = code::code_of(machine, row.operands[index].class, operand) else {
                    continue;
                };
                bits ^= field.put(number) ^ field.put(number | 0x80);
            }
        }
    }
    Ok(bits)
}

fn select(sel: SdwaSel) -> u8 {
    match sel {
        SdwaSel::Byte0 => 0,
        SdwaSel::Byte1 => 1,
        SdwaSel::Byte2 => 2,
        SdwaSel::Byte3 => 3,
        SdwaSel::Word0 => 4,
        SdwaSel::Word1 => 5,
        SdwaSel::Dword => 6,
    }
}

/// The code of an operand that its class does not decide; the inverse of the decoder's `custom_operand`.
pub(super) fn custom_code(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    index: usize,
    operand: &Operand,
    _inst: &Inst,
) -> Option<u32> {
    let spec = &row.operands[index];
    match (spec.role, operand) {
        ("adst", Operand::Reg(Reg { file: RegFile::Agpr, index, .. })) => Some(u32::from(*index)),
        ("asrc", Operand::Reg(Reg { file: RegFile::Agpr, index, .. })) => {
            Some(u32::from(*index) + code::VGPR)
        }
        (
            "sdst",
            Operand::Special(_)
            | Operand::Int(_)
            | Operand::Float(_)
            | Operand::Literal(_)
            | Operand::Literal64(_),
        ) if is_wide(encoding.form) || encoding.form == Form::E32 => {
            code::code_of(machine, Class::VectorSrc, operand)
        }
        ("sdst", _) => None,
        _ if matches!(spec.class, Class::VgprSrc | Class::ScalarSrc | Class::ScalarReg | Class::Custom) => {
            code::code_of(machine, Class::VectorSrc, operand)
        }
        _ => None,
    }
}
