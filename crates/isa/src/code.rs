//! Operand values and the numbers that fields hold for them (CDNA4 manual table "SDST, SSRC, SRC", CDNA5
//! manual table "Scalar source operands").
//!
//! A register tuple keeps the number that the field holds even where the hardware would ignore low bits of it;
//! printing says so, parsing refuses it.

use wavemark_target::facts::Apertures;
use wavemark_target::{Facts, InstFeature};

use crate::role::{Class, ImmKind};
use crate::ty::Type;
use crate::{Machine, Operand, Reg, RegFile, Special};

/// Source code that says that a 32-bit literal follows.
pub const LITERAL: u32 = 255;
/// Source code that says that a 64-bit literal follows (gfx1250).
pub const LITERAL64: u32 = 254;
/// First source code of the VGPRs in 9-bit source fields.
pub const VGPR: u32 = 256;

use Special as S;

/// The special registers with this code: its name as a 32-bit operand, its name as a 64-bit operand.
///
/// Reserved codes that LLVM's disassembler names on every processor have their names here too; which names text may
/// have is for the assembler to say ([`is_available`]).
fn specials_at(facts: &Facts, code: u32) -> (Option<Special>, Option<Special>) {
    let pair = |wide, low| (Some(low), Some(wide));
    let half = |name| (Some(name), None);
    let both = |name| (Some(name), Some(name));
    if code == u32::from(facts.m0) {
        return half(S::M0);
    }
    if code == null_code(facts) {
        return both(S::Null);
    }
    let from = |base: Option<u8>| base.map(|base| code.wrapping_sub(base.into()));
    match from(facts.flat_scratch_sgprs) {
        Some(0) => return pair(S::FlatScratch, S::FlatScratchLo),
        Some(1) => return half(S::FlatScratchHi),
        _ => {}
    }
    match from(facts.xnack_mask_sgprs) {
        Some(0) => return pair(S::XnackMask, S::XnackMaskLo),
        Some(1) => return half(S::XnackMaskHi),
        _ => {}
    }
    match from(facts.trap_base_sgprs) {
        Some(0) => return pair(S::Tba, S::TbaLo),
        Some(1) => return half(S::TbaHi),
        Some(2) => return pair(S::Tma, S::TmaLo),
        Some(3) => return half(S::TmaHi),
        _ => {}
    }
    match code {
        106 => pair(S::Vcc, S::VccLo),
        107 => half(S::VccHi),
        126 => pair(S::Exec, S::ExecLo),
        127 => half(S::ExecHi),
        230 => both(S::FlatScratchBaseLo),
        231 => half(S::FlatScratchBaseHi),
        235 => both(S::SharedBase),
        236 => both(S::SharedLimit),
        237 => both(S::PrivateBase),
        238 => both(S::PrivateLimit),
        239 => both(S::PopsExitingWaveId),
        251 => both(S::Vccz),
        252 => both(S::Execz),
        253 => both(S::Scc),
        254 if !facts.literals_64 => half(S::LdsDirect),
        _ => (None, None),
    }
}

/// The code of a special register; `None` where the machine has no code for it.
fn code_of_special(facts: &Facts, special: Special) -> Option<u32> {
    let at = |base: Option<u8>, offset: u32| base.map(|base| u32::from(base) + offset);
    Some(match special {
        S::M0 => facts.m0.into(),
        S::Null => null_code(facts),
        S::FlatScratch | S::FlatScratchLo => return at(facts.flat_scratch_sgprs, 0),
        S::FlatScratchHi => return at(facts.flat_scratch_sgprs, 1),
        S::XnackMask | S::XnackMaskLo => return at(facts.xnack_mask_sgprs, 0),
        S::XnackMaskHi => return at(facts.xnack_mask_sgprs, 1),
        S::Tba | S::TbaLo => return at(facts.trap_base_sgprs, 0),
        S::TbaHi => return at(facts.trap_base_sgprs, 1),
        S::Tma | S::TmaLo => return at(facts.trap_base_sgprs, 2),
        S::TmaHi => return at(facts.trap_base_sgprs, 3),
        S::Vcc | S::VccLo => 106,
        S::VccHi => 107,
        S::Exec | S::ExecLo => 126,
        S::ExecHi => 127,
        S::FlatScratchBaseLo => 230,
        S::FlatScratchBaseHi => 231,
        S::SharedBase => 235,
        S::SharedLimit => 236,
        S::PrivateBase => 237,
        S::PrivateLimit => 238,
        S::PopsExitingWaveId => 239,
        S::Vccz => 251,
        S::Execz => 252,
        S::Scc => 253,
        S::LdsDirect => return (!facts.literals_64).then_some(254),
    })
}

/// The code of `null`; where there is no such register, LLVM's disassembler gives its name to the reserved code.
fn null_code(facts: &Facts) -> u32 {
    facts.null.unwrap_or(125).into()
}

/// Whether text may name the special register.
pub(crate) fn is_available(facts: &Facts, special: Special) -> bool {
    match special {
        S::Null => facts.null.is_some(),
        S::FlatScratch | S::FlatScratchLo | S::FlatScratchHi => facts.flat_scratch_sgprs.is_some(),
        S::XnackMask | S::XnackMaskLo | S::XnackMaskHi => facts.xnack_mask_sgprs.is_some(),
        S::Tba | S::TbaLo | S::TbaHi | S::Tma | S::TmaLo | S::TmaHi => facts.trap_base_sgprs.is_some(),
        S::Vccz | S::Execz => facts.vccz_execz,
        S::SharedBase | S::SharedLimit | S::PrivateBase | S::PrivateLimit => {
            facts.apertures == Apertures::Registers
        }
        S::FlatScratchBaseLo | S::FlatScratchBaseHi => facts.flat_scratch_base,
        S::PopsExitingWaveId => facts.pops_exiting_wave_id,
        S::LdsDirect => !facts.literals_64,
        S::Vcc | S::VccLo | S::VccHi | S::Exec | S::ExecLo | S::ExecHi | S::M0 | S::Scc => true,
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
        Class::VgprOrAgpr if code & 0x100 == 0 => reg(RegFile::Vgpr, code & 0xff),
        // A tuple of VGPRs may go on in the next bank; there is one of accumulation VGPRs.
        Class::VgprOrAgpr if (code & 0xff) + u32::from(dwords) > 256 => None,
        Class::VgprOrAgpr => reg(RegFile::Agpr, code & 0xff),
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
    let facts = machine.facts();
    let ttmp = code.wrapping_sub(facts.ttmp_base.into());
    Some(match code {
        // As LLVM has it, a tuple may reach to the end of the longest register file.
        _ if code < facts.sgprs.into() => tuple(RegFile::Sgpr, code, dwords, 106)?,
        _ if ttmp < facts.ttmps.into() => tuple(RegFile::Ttmp, ttmp, dwords, 16)?,
        128..=192 => Operand::Int((code - 128) as i8),
        193..=208 => Operand::Int(192i16.wrapping_sub(code as i16) as i8),
        // 1/2π came with gfx8.
        240..=248 if code < 248 || machine.has_inst(InstFeature::Inv2piInlineImm) => {
            Operand::Float(code as u8)
        }
        LITERAL => Operand::Literal(0),
        LITERAL64 if facts.literals_64 => Operand::Literal64(0),
        _ => {
            let (single, double) = specials_at(facts, code);
            Operand::Special(match dwords {
                1 => single?,
                2 => double?,
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
    let facts = machine.facts();
    match *operand {
        Operand::Reg(Reg { file: RegFile::Sgpr, index, .. }) => {
            Some(u32::from(index)).filter(|&n| n < facts.sgprs.into())
        }
        Operand::Reg(Reg { file: RegFile::Ttmp, index, .. }) => {
            (index < facts.ttmps.into()).then(|| u32::from(index) + u32::from(facts.ttmp_base))
        }
        Operand::Reg(_) | Operand::Imm(_) | Operand::Off | Operand::List(_) => None,
        Operand::Int(value @ 0..=64) => Some(128 + value as u32),
        Operand::Int(value @ -16..=-1) => Some(192 + u32::from(value.unsigned_abs())),
        Operand::Int(_) => None,
        Operand::Float(code @ 240..=248) => Some(u32::from(code)),
        Operand::Float(_) => None,
        Operand::Literal(_) => Some(LITERAL),
        Operand::Literal64(_) => facts.literals_64.then_some(LITERAL64),
        Operand::Special(special) => code_of_special(facts, special),
    }
}

#[cfg(test)]
mod tests {
    use wavemark_target::Processor;

    use super::*;

    #[test]
    fn codes_round_trip() {
        for machine in Processor::ALL.iter().copied().map(Machine::new) {
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
