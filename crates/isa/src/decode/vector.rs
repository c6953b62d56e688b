//! Decoding of the vector family beyond what its rows say: DPP and SDWA dwords, half registers, modifiers that
//! share bits, and bits that must be 0.

use super::{DecodeError, Input};
use crate::format::Field;
use crate::role::Class;
use crate::row::{Encoding, Row};
use crate::vector::DPP8_FI;
use crate::vector::{Traits, is_wide, position};
use crate::{Dpp, Form, Half, Inst, Mods, Operand, OutMod, Reg, RegFile, Sdwa, SdwaSel, SdwaUnused, code};

/// Corrects an instruction whose fields have been read.
pub(super) fn finish(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    inst: &mut Inst,
) -> Result<(), DecodeError> {
    let traits = row.traits;
    let invalid = |reason| DecodeError::Invalid { mnemonic: row.mnemonic, reason };
    match inst.form {
        Form::Dpp16 | Form::E64Dpp16 => {
            let dword = extension(input, encoding);
            inst.mods.dpp = Some(Dpp::Row {
                ctrl: (dword >> 8 & 0x1ff) as u16,
                row_mask: (dword >> 28 & 15) as u8,
                bank_mask: (dword >> 24 & 15) as u8,
                bound_ctrl: dword >> 19 & 1 != 0,
                fi: encoding.format.field("fi").is_some_and(|field| field.get(input.bits) != 0),
            });
        }
        Form::Dpp8 | Form::E64Dpp8 => {
            let source = if is_wide(inst.form) { input.bits >> 32 } else { input.bits } as u32 & 0x1ff;
            inst.mods.dpp = Some(Dpp::Lanes8 { sel: extension(input, encoding) >> 8, fi: source == DPP8_FI });
        }
        Form::Sdwa => {
            inst.mods.sdwa = Some(sdwa(input, row, encoding, &traits).map_err(invalid)?);
            if inst.mods.omod != OutMod::None && !(traits.omod && traits.float_result) {
                return Err(invalid("omod bits that the instruction does not have"));
            }
        }
        _ => {}
    }
    if inst.operands.iter().any(|operand| !exists(input, operand)) {
        return Err(invalid("a scalar tuple that there is not"));
    }
    // The literal that the opcode demands is of its own width, whatever a source calls for.
    let mandatory = |spec: &crate::OperandSpec, operand: &Operand| {
        matches!(
            (spec.class, operand),
            (Class::Literal32, Operand::Literal64(_)) | (Class::Literal64, Operand::Literal(_))
        )
    };
    if encoding.specs(row).zip(&inst.operands).any(|(spec, operand)| mandatory(spec, operand)) {
        return Err(invalid("a source literal of another width than the instruction's"));
    }
    if is_wide(inst.form) {
        wide_modifiers(&traits, inst, input.machine.real_true16()).map_err(invalid)?;
    } else {
        short_modifiers(&traits, inst, input.machine.real_true16()).map_err(invalid)?;
    }
    if traits.true16 != 0 {
        halves(row, encoding, &traits, inst);
        let high = |operand: &Operand| matches!(operand, Operand::Reg(Reg { half: Half::Hi, .. }));
        // Where halves have no names, short forms write the low one only.
        let written = traits.true16 & 8 != 0 && inst.operands.first().is_some_and(high);
        if written && !is_wide(inst.form) && !input.machine.real_true16() {
            return Err(invalid("a destination that is the upper half of a register"));
        }
    }
    Ok(())
}

/// Whether a scalar tuple lies within its file, and has a size that scalar registers have.
fn exists(input: &Input, operand: &Operand) -> bool {
    let facts = input.machine.facts();
    match operand {
        Operand::Reg(Reg { file: file @ (RegFile::Sgpr | RegFile::Ttmp), index, dwords, .. }) => {
            // LLVM has tuples of SGPRs up to 105 on all processors.
            let count = if *file == RegFile::Sgpr { 106 } else { u16::from(facts.ttmps) };
            let first = index & !(crate::print::scalar_alignment(*dwords) - 1);
            !matches!(dwords, 6 | 32) && first + u16::from(*dwords) <= count
        }
        _ => true,
    }
}

/// The DPP dword, the last one of the format.
fn extension(input: &Input, encoding: &Encoding) -> u32 {
    (input.bits >> (32 * (encoding.format.dwords - 1))) as u32
}

fn sdwa(input: &Input, row: &Row, encoding: &Encoding, traits: &Traits) -> Result<Sdwa, &'static str> {
    let dword = (input.bits >> 32) as u32;
    let select = |shift: u32| {
        Ok(match dword >> shift & 7 {
            0 => SdwaSel::Byte0,
            1 => SdwaSel::Byte1,
            2 => SdwaSel::Byte2,
            3 => SdwaSel::Byte3,
            4 => SdwaSel::Word0,
            5 => SdwaSel::Word1,
            6 => SdwaSel::Dword,
            _ => return Err("reserved SDWA selection"),
        })
    };
    let sext = (dword >> 19 & 1 | dword >> 26 & 2) as u8;
    if sext & traits.mods != 0 {
        return Err("a floating source cannot be sign-extended");
    }
    let mut sdwa = Sdwa { sext, src0_sel: select(16)?, ..Sdwa::default() };
    if traits.sources & 2 != 0 {
        sdwa.src1_sel = select(24)?;
    } else if input.bits & encoding.format.field("idle_src1").map_or(0, Field::mask) != 0 {
        return Err("bits of a source that the instruction does not have");
    }
    if row.operand_index("vdst").is_some() {
        sdwa.dst_sel = select(8)?;
        sdwa.dst_unused = match dword >> 11 & 3 {
            0 => SdwaUnused::Pad,
            1 => SdwaUnused::Sext,
            2 => SdwaUnused::Preserve,
            _ => return Err("reserved SDWA dst_unused"),
        };
    }
    Ok(sdwa)
}

/// Modifiers of the VOP3 forms: those that share bits get their own, and bits without a meaning must be 0.
fn wide_modifiers(traits: &Traits, inst: &mut Inst, real_true16: bool) -> Result<(), &'static str> {
    // Of byte selections the forms with DPP ignore the bits beside.
    let dpp = matches!(inst.form, Form::E64Dpp16 | Form::E64Dpp8);
    let mods = &mut inst.mods;
    let bytes = traits.byte_sel || traits.dst_byte_sel;
    if dpp && bytes && traits.op_sel == 0 {
        mods.op_sel &= if traits.byte_sel { 0b0011 } else { 0b1100 };
    }
    if traits.bitop3 {
        let omod = match mods.omod {
            OutMod::None => 0,
            OutMod::Mul2 => 1,
            OutMod::Mul4 => 2,
            OutMod::Div2 => 3,
        };
        mods.control = u16::from(mods.neg & 7) | u16::from(mods.abs & 7) << 3 | omod << 6;
        (mods.neg, mods.abs, mods.omod) = (0, 0, OutMod::None);
    }
    // Where one source takes modifiers, the others have the bits too and they do nothing; gfx1250's 16-bit and
    // op_sel instructions have them all.
    // An op_sel that goes beyond the operands is that of the instruction without halves.
    let of_halves = real_true16 && mods.op_sel & !traits.op_sel_bits() == 0;
    if traits.halves_only && !of_halves {
        return Err("op_sel bits that the instruction does not have");
    }
    let idle = if traits.idle_mods || traits.idle_mods_of_halves && of_halves {
        traits.sources | if traits.phantom_source { 4 } else { 0 }
    } else {
        0
    };
    if (mods.neg | mods.abs) & !(traits.mods | idle) != 0 {
        return Err("source modifier bits that the instruction does not have");
    }
    mods.neg &= traits.mods;
    mods.abs &= traits.mods;
    mods.op_sel &= !traits.pairs;
    if mods.clamp && !traits.clamp {
        return Err("clamp bit that the instruction does not have");
    }
    if mods.omod != OutMod::None && !traits.omod {
        return Err("omod bits that the instruction does not have");
    }
    // Bits between the sources' and the destination's.
    let sources = traits.sources.count_ones() as u8;
    let listed = traits.op_sel == sources + 1 && traits.vdst && !traits.dst_byte_sel
        || traits.lane_permute && traits.op_sel == sources
        || traits.byte_sel;
    if traits.strict_op_sel && mods.op_sel & 4 != 0
        || listed && mods.op_sel & 0b0111 & !(traits.sources | if traits.byte_sel { 3 } else { 0 }) != 0
        || traits.byte_sel && traits.op_sel == 0 && mods.op_sel & 8 != 0
        || traits.bitop3 && traits.op_sel == 0 && mods.op_sel != 0
    {
        return Err("op_sel bits that the instruction does not have");
    }
    if traits.byte_sel {
        mods.control = u16::from(mods.op_sel >> 1 & 1) | u16::from(mods.op_sel & 1) << 1;
        mods.op_sel &= 0b1100;
    } else if traits.dst_byte_sel {
        if traits.op_sel == 0 && mods.op_sel & 0b0011 != 0 {
            return Err("op_sel bits that the instruction does not have");
        }
        mods.control = u16::from(mods.op_sel >> 2);
        mods.op_sel &= 0b0011;
    } else if traits.scale_sel {
        mods.control = u16::from(mods.op_sel);
        mods.op_sel = 0;
    } else if traits.swap_control {
        mods.control = u16::from(mods.op_sel & 3);
        mods.op_sel = 0;
    } else if traits.op_sel == 0 && traits.true16 == 0 {
        mods.op_sel = 0;
    }
    Ok(())
}

/// Source modifiers of the DPP and SDWA dwords.
fn short_modifiers(traits: &Traits, inst: &mut Inst, real_true16: bool) -> Result<(), &'static str> {
    let mods = &mut inst.mods;
    let dpp = traits.idle_mods && inst.form == Form::Dpp16;
    let idle = if dpp || traits.true16 != 0 && real_true16 { traits.sources } else { 0 };
    if traits.halves_only && !real_true16 {
        return Err("an instruction of halves where registers have none");
    }
    if (mods.neg | mods.abs) & !(traits.mods | idle) != 0 {
        return Err("source modifier bits that the instruction does not have");
    }
    mods.neg &= traits.mods;
    mods.abs &= traits.mods;
    if inst.form == Form::Sdwa {
        mods.abs &= !traits.packed;
        mods.neg &= !traits.packed;
    }
    Ok(())
}

/// Says of 16-bit VGPR operands which half they are.
fn halves(row: &Row, encoding: &Encoding, traits: &Traits, inst: &mut Inst) {
    let wide = is_wide(inst.form);
    let op_sel = inst.mods.op_sel;
    for (spec, operand) in encoding.specs(row).zip(&mut inst.operands) {
        let Some(position) = position(spec).filter(|&n| traits.true16 >> n & 1 != 0) else { continue };
        let Operand::Reg(reg @ Reg { file: RegFile::Vgpr, .. }) = operand else { continue };
        let high = if wide { op_sel >> position & 1 != 0 } else { reg.index & 0x80 != 0 };
        reg.half = if high { Half::Hi } else { Half::Lo };
        if !wide {
            reg.index &= 0x7f;
        }
    }
}

/// An operand that its class does not decide: accumulation registers, and codes that the class forbids but
/// LLVM's disassembler shows.
pub(super) fn custom_operand(
    input: &Input,
    row: &Row,
    encoding: &Encoding,
    index: usize,
    number: u32,
    _mods: &Mods,
) -> Option<Operand> {
    let spec = &row.operands[index];
    match spec.role {
        // Of halves in VINTERP LLVM reads the register's number only.
        _ if row.traits.wait_exp && spec.ty.bits() == 16 && input.machine.real_true16() => {
            Some(Operand::Reg(Reg::new(RegFile::Vgpr, (number & 0xff) as u16, 1)))
        }
        "adst" => Some(Operand::Reg(Reg::new(RegFile::Agpr, number as u16, 1))),
        "asrc" if number >= code::VGPR => {
            Some(Operand::Reg(Reg::new(RegFile::Agpr, (number & 0xff) as u16, 1)))
        }
        "sdst" if encoding.form == Form::Sdwa && number & 0x80 != 0 => {
            Some(Operand::Special(crate::vector::vcc(&spec.ty)))
        }
        // LLVM shows the constants and read-only values that an 8-bit destination can name.
        "sdst"
            if match number {
                249 | 250 => false,
                code::LITERAL64 if input.machine.facts().literals_64 => encoding.format.literal,
                code::LITERAL => encoding.format.literal,
                _ => true,
            } =>
        {
            code::operand_of(input.machine, Class::VectorSrc, &spec.ty, number)
        }
        "sdst" => None,
        _ if matches!(spec.class, Class::VgprSrc | Class::ScalarSrc | Class::ScalarReg | Class::Custom) => {
            code::operand_of(input.machine, Class::VectorSrc, &spec.ty, number)
        }
        _ => None,
    }
}
