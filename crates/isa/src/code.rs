//! Operand values and the numbers that fields hold for them (CDNA4 manual table "SDST, SSRC, SRC", CDNA5
//! manual table "Scalar source operands").
//!
//! A register tuple keeps the number that the field holds even where the hardware would ignore low bits of it;
//! printing says so, parsing refuses it.

use crate::role::{Class, ImmKind};
use crate::row::{Line, line};
use crate::ty::Type;
use crate::{Machine, Operand, Reg, RegFile, Special};

/// Source code that says that a 32-bit literal follows.
pub const LITERAL: u32 = 255;
/// Source code that says that a 64-bit literal follows (gfx1250).
pub const LITERAL64: u32 = 254;
/// First source code of the VGPRs in 9-bit source fields.
pub const VGPR: u32 = 256;

use Special as S;

/// Code, name for 32-bit operands, name for 64-bit operands.
type SpecialCode = (u32, Option<Special>, Option<Special>);

const fn pair(lo: u32, wide: Special, low: Special) -> SpecialCode {
    (lo, Some(low), Some(wide))
}

const fn half(code: u32, name: Special) -> SpecialCode {
    (code, Some(name), None)
}

const fn both(code: u32, name: Special) -> SpecialCode {
    (code, Some(name), Some(name))
}

static GFX950: &[SpecialCode] = &[
    pair(102, S::FlatScratch, S::FlatScratchLo),
    half(103, S::FlatScratchHi),
    pair(104, S::XnackMask, S::XnackMaskLo),
    half(105, S::XnackMaskHi),
    pair(106, S::Vcc, S::VccLo),
    half(107, S::VccHi),
    half(124, S::M0),
    // Reserved; LLVM's disassembler names them.
    both(125, S::Null),
    pair(126, S::Exec, S::ExecLo),
    half(127, S::ExecHi),
    both(230, S::FlatScratchBaseLo),
    both(231, S::FlatScratchBaseHi),
    both(235, S::SharedBase),
    both(236, S::SharedLimit),
    both(237, S::PrivateBase),
    both(238, S::PrivateLimit),
    both(239, S::PopsExitingWaveId),
    both(251, S::Vccz),
    both(252, S::Execz),
    both(253, S::Scc),
    half(254, S::LdsDirect),
];

static GFX1250: &[SpecialCode] = &[
    pair(106, S::Vcc, S::VccLo),
    half(107, S::VccHi),
    both(124, S::Null),
    half(125, S::M0),
    pair(126, S::Exec, S::ExecLo),
    half(127, S::ExecHi),
    both(230, S::FlatScratchBaseLo),
    both(231, S::FlatScratchBaseHi),
    both(235, S::SharedBase),
    both(236, S::SharedLimit),
    both(237, S::PrivateBase),
    both(238, S::PrivateLimit),
    // Reserved; LLVM's disassembler names it.
    both(239, S::PopsExitingWaveId),
    both(251, S::Vccz),
    both(252, S::Execz),
    both(253, S::Scc),
];

fn specials(machine: Machine) -> &'static [SpecialCode] {
    match line(machine) {
        Line::Early => GFX950,
        Line::Late => GFX1250,
    }
}

/// How many SGPRs can be named: codes 0…n−1.
pub fn sgpr_count(machine: Machine) -> u32 {
    match line(machine) {
        Line::Early => 102,
        Line::Late => 106,
    }
}

/// The operand that `code` is in a field of this class; a literal's value is 0 until it is read. `None` if the
/// code is reserved.
#[inline]
pub fn operand_of(machine: Machine, class: Class, ty: &Type, code: u32) -> Option<Operand> {
    let dwords = ty.dwords();
    let reg = |file, index: u32| Some(Operand::Reg(Reg::new(file, index as u16, dwords)));
    match class {
        Class::Vgpr => reg(RegFile::Vgpr, code),
        Class::VgprOrAgpr => reg(if code & 0x100 == 0 { RegFile::Vgpr } else { RegFile::Agpr }, code & 0xff),
        Class::VgprSrc => {
            if code >= VGPR {
                reg(RegFile::Vgpr, code - VGPR)
            } else {
                None
            }
        }
        Class::VectorSrc if code >= VGPR => reg(RegFile::Vgpr, code - VGPR),
        Class::ScalarReg if code > 127 => None,
        Class::ScalarReg | Class::ScalarSrc | Class::VectorSrc => scalar_operand(machine, dwords, code),
        Class::Imm(ImmKind::Simm16 | ImmKind::Label) => Some(Operand::Imm(i64::from(code as u16 as i16))),
        Class::Imm(_) => Some(Operand::Imm(i64::from(code))),
        Class::Literal32 => Some(Operand::Literal(u64::from(code))),
        Class::Literal64 => Some(Operand::Literal64(u64::from(code))),
        Class::Vcc => Some(Operand::Special(if dwords == 2 { S::Vcc } else { S::VccLo })),
        Class::Custom => None,
    }
}

fn scalar_operand(machine: Machine, dwords: u8, code: u32) -> Option<Operand> {
    let ttmps = u32::from(machine.facts().ttmp_base);
    Some(match code {
        // A tuple does not reach beyond the last number that any processor has.
        _ if code < sgpr_count(machine) => tuple(RegFile::Sgpr, code, dwords, 106)?,
        _ if (ttmps..124).contains(&code) => tuple(RegFile::Ttmp, code - ttmps, dwords, 16)?,
        128..=192 => Operand::Int((code - 128) as i8),
        193..=208 => Operand::Int(192i16.wrapping_sub(code as i16) as i8),
        240..=248 => Operand::Float(code as u8),
        LITERAL => Operand::Literal(0),
        LITERAL64 if line(machine) == Line::Late => Operand::Literal64(0),
        _ => {
            let (_, single, double) = specials(machine).iter().find(|entry| entry.0 == code)?;
            Operand::Special(match dwords {
                1 => (*single)?,
                2 => (*double)?,
                // Larger tuples have no named registers but NULL.
                _ => double.filter(|special| *special == S::Null)?,
            })
        }
    })
}

/// A scalar tuple, if what the hardware makes of its first number leaves room for it below `end`.
fn tuple(file: RegFile, index: u32, dwords: u8, end: u32) -> Option<Operand> {
    let alignment = u32::from(crate::print::scalar_alignment(dwords));
    let fits = index / alignment * alignment + u32::from(dwords) <= end;
    fits.then(|| Operand::Reg(Reg::new(file, index as u16, dwords)))
}

/// The code of an operand in a field of this class; `None` if it cannot stand there.
#[inline]
pub fn code_of(machine: Machine, class: Class, operand: &Operand) -> Option<u32> {
    match (class, operand) {
        (Class::Vgpr, Operand::Reg(Reg { file: RegFile::Vgpr, index, .. })) => Some(u32::from(*index)),
        (Class::VgprOrAgpr, Operand::Reg(reg)) => match reg.file {
            RegFile::Vgpr => Some(u32::from(reg.index)),
            RegFile::Agpr => Some(u32::from(reg.index) | 0x100),
            RegFile::Sgpr | RegFile::Ttmp => None,
        },
        (Class::VectorSrc | Class::VgprSrc, Operand::Reg(Reg { file: RegFile::Vgpr, index, .. })) => {
            Some(u32::from(*index) + VGPR)
        }
        (Class::VectorSrc | Class::ScalarSrc, _) => scalar_code(machine, operand),
        (Class::ScalarReg, _) => scalar_code(machine, operand).filter(|&code| code < 128),
        (Class::Imm(_), Operand::Imm(value)) => Some(*value as u32),
        _ => None,
    }
}

fn scalar_code(machine: Machine, operand: &Operand) -> Option<u32> {
    match *operand {
        Operand::Reg(Reg { file: RegFile::Sgpr, index, .. }) => {
            Some(u32::from(index)).filter(|&n| n < sgpr_count(machine))
        }
        Operand::Reg(Reg { file: RegFile::Ttmp, index, .. }) => {
            Some(u32::from(index) + u32::from(machine.facts().ttmp_base)).filter(|&n| n < 124)
        }
        Operand::Reg(_) | Operand::Imm(_) | Operand::Off | Operand::List(_) => None,
        Operand::Int(value @ 0..=64) => Some(128 + value as u32),
        Operand::Int(value @ -16..=-1) => Some(192 + u32::from(value.unsigned_abs())),
        Operand::Int(_) => None,
        Operand::Float(code @ 240..=248) => Some(u32::from(code)),
        Operand::Float(_) => None,
        Operand::Literal(_) => Some(LITERAL),
        Operand::Literal64(_) => (line(machine) == Line::Late).then_some(LITERAL64),
        Operand::Special(special) => specials(machine)
            .iter()
            .find(|(_, single, double)| *single == Some(special) || *double == Some(special))
            .map(|entry| entry.0),
    }
}

#[cfg(test)]
mod tests {
    use wavemark_target::Processor;

    use super::*;

    #[test]
    fn codes_round_trip() {
        for machine in [Machine::new(Processor::Gfx950), Machine::new(Processor::Gfx1250)] {
            for ty in ["b32", "b64"].into_iter().filter_map(Type::parse) {
                for code in 0..512 {
                    if let Some(operand) = operand_of(machine, Class::VectorSrc, &ty, code) {
                        assert_eq!(
                            code_of(machine, Class::VectorSrc, &operand),
                            Some(code),
                            "{machine:?} {operand:?}"
                        );
                    }
                }
            }
        }
    }
}
