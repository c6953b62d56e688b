//! What an operand of a vector statement becomes in a form: registers by class, width, alignment and half; constants as
//! module `vector_constant` says; `None` where the form does not take it.

use smallvec::SmallVec;
use wavemark_target::InstFeature;

use super::Parser;
use super::operand::{Constant, Force, RegisterText};
use super::vector::{Item, Value};
use super::vector_constant::{self, Place};
use super::vector_expected::Miss;
use super::vector_modifiers::Modifier;
use crate::expr::Expr;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::vector::{Traits, is_wide, position};
use crate::{Form, Half, Inst, Machine, Operand, Reg, RegFile, Special, code};

/// Whether half registers are written with `.l` and `.h`, or as whole registers in the old manner.
#[derive(Default)]
pub(super) struct Halves {
    pub(super) written: bool,
    pub(super) plain: bool,
}

/// The operand, if this form takes it in this place.
pub(super) fn place(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    narrow: bool,
    traits: &Traits,
    item: &Item,
    inst: &mut Inst,
    halves: &mut Halves,
    symbols: &mut SmallVec<[Expr; 1]>,
) -> Option<Operand> {
    let number = position(spec).filter(|&n| n < 3);
    if !suits_dpp(p.machine, encoding.form, spec, number, item) {
        return None;
    }
    let bit = number.map_or(0, |n| 1u8 << n);
    let has_mods = traits.mods & bit != 0;
    match &item.value {
        Value::Number(kind, value) => (spec.class == Class::Imm(*kind)).then_some(Operand::Imm(*value)),
        Value::Register(register) => {
            if item.neg || item.abs {
                let absolute = encoding.format.field("abs").is_some();
                let signed = encoding.form != Form::E32 && !matches!(encoding.form, Form::Dpp8);
                if !has_mods || !signed || item.abs && !absolute {
                    return None;
                }
                if item.neg {
                    inst.mods.neg |= bit;
                }
                if item.abs {
                    inst.mods.abs |= bit;
                }
            }
            if item.sext {
                if encoding.form != Form::Sdwa || traits.mods & bit != 0 || bit == 0 || traits.whole_dst {
                    return None;
                }
                inst.mods.sdwa.get_or_insert_default().sext |= bit;
            }
            let half = position(spec).is_some_and(|n| traits.true16 >> n & 1 != 0);
            place_register(p, row, encoding, spec, narrow, half, *register, halves)
        }
        Value::Constant(constant, force) => {
            let source = matches!(spec.class, Class::VectorSrc | Class::ScalarSrc);
            let lane_select = spec.role == "ssrc1" && traits.lane;
            let literal = matches!(spec.class, Class::Literal32 | Class::Literal64);
            if !(source || literal) || narrow {
                return None;
            }
            if item.sext || item.twice && has_mods {
                return None;
            }
            let mandatory =
                row.operands.iter().any(|spec| matches!(spec.class, Class::Literal32 | Class::Literal64));
            if mandatory && (item.neg || item.abs) {
                return None;
            }
            if *force == Force::Lit64 && !p.machine.facts().literals_64 && has_mods {
                return None;
            }
            if (item.neg || item.abs) && !has_mods {
                return None;
            }
            // Before there were 16-bit instructions, VOP3 had no constants of 16 bits.
            if spec.ty.bits() == 16 && is_wide(encoding.form) && !p.machine.has_inst(InstFeature::Bits16Insts)
            {
                return None;
            }
            let place = Place { machine: p.machine, row, spec, encoding };
            if (item.neg || item.abs) && !vector_constant::takes_modifiers(&place, constant) {
                return None;
            }
            if let Constant::Unknown(expr) = constant {
                let takes = vector_constant::takes_symbols(&place) && !(is_wide(encoding.form) && has_mods);
                if !takes || item.neg || item.abs {
                    return None;
                }
                symbols.push(expr.clone());
                return Some(Operand::Literal(0));
            }
            // The 32-bit forms fold the modifiers into the constant, the others keep them.
            let fold = encoding.form == Form::E32;
            let operand =
                vector_constant::place(&place, constant, *force, fold && item.neg, fold && item.abs)?;
            if lane_select && matches!(operand, Operand::Literal(_) | Operand::Literal64(_)) {
                return None;
            }
            if !fold {
                let absolute = encoding.format.field("abs").is_some();
                if item.abs && !absolute || (item.neg || item.abs) && matches!(encoding.form, Form::Dpp8) {
                    return None;
                }
                if item.neg {
                    inst.mods.neg |= bit;
                }
                if item.abs {
                    inst.mods.abs |= bit;
                }
            }
            Some(operand)
        }
    }
}

/// Whether the source can stand in a form with DPP: the source whose lanes are permuted has 32 bits on many processors,
/// and the second one of the VOP3 forms must be a VGPR on some.
fn suits_dpp(machine: Machine, form: Form, spec: &OperandSpec, number: Option<u8>, item: &Item) -> bool {
    match (form, number) {
        (Form::Dpp16, Some(0)) => spec.ty.dwords() == 1 || machine.has_inst(InstFeature::Dpp64bit),
        (Form::E64Dpp16 | Form::E64Dpp8, Some(1)) if spec.class == Class::VectorSrc => {
            machine.has_inst(InstFeature::DppSrc1Sgpr)
                || matches!(
                    item.value,
                    Value::Register(RegisterText::Numbered(Reg { file: RegFile::Vgpr, .. }))
                )
        }
        _ => true,
    }
}

fn place_register(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    narrow: bool,
    half: bool,
    register: RegisterText,
    halves: &mut Halves,
) -> Option<Operand> {
    let dwords = spec.ty.dwords();
    match register {
        RegisterText::Numbered(reg) if matches!(reg.file, RegFile::Vgpr) => {
            // LLVM takes VGPRs as sources of the scalar-result instructions.
            let lenient = spec.class == Class::ScalarSrc && row.traits.scalar;
            let class = matches!(spec.class, Class::Vgpr | Class::VgprSrc | Class::VectorSrc) || lenient;
            let aligned = reg.index % u16::from(p.machine.facts().vgpr_tuple_alignment) == 0;
            if !class || reg.dwords != dwords || dwords > 1 && !aligned {
                return None;
            }
            if half {
                // The 32-bit forms number halves with 7 bits and the half.
                if !is_wide(encoding.form) && reg.index > 0x7f {
                    return None;
                }
                match reg.half {
                    Half::Whole => halves.plain = true,
                    Half::Lo | Half::Hi => halves.written = true,
                }
            } else if reg.half != Half::Whole {
                return None;
            }
            Some(Operand::Reg(reg))
        }
        RegisterText::Numbered(reg) if reg.file == RegFile::Agpr => {
            (spec.class == Class::Custom && reg.dwords == dwords).then_some(Operand::Reg(reg))
        }
        RegisterText::Numbered(reg) => {
            let class = matches!(spec.class, Class::ScalarSrc | Class::ScalarReg | Class::VectorSrc);
            if !class || narrow || reg.dwords != dwords || reg.half != Half::Whole {
                return None;
            }
            Some(Operand::Reg(reg))
        }
        RegisterText::Named(special) => {
            let direct = special == Special::LdsDirect && row.traits.lane_read;
            let class =
                matches!(spec.class, Class::ScalarSrc | Class::ScalarReg | Class::VectorSrc) || direct;
            if !class || narrow {
                return None;
            }
            let operand = Operand::Special(special);
            let number = code::code_of(p.machine, Class::VectorSrc, &operand)?;
            // An 8-bit destination has codes for the read-only values, and LLVM takes them.
            let wide =
                spec.role == "sdst" && encoding.format.field("sdst").is_some_and(|field| field.fits(number));
            if spec.class == Class::ScalarReg && number > 127 && !wide && spec.role != "smask" {
                return None;
            }
            // The name must be the one for an operand of this width.
            if code::operand_of(p.machine, Class::VectorSrc, &spec.ty, number)? != operand {
                return None;
            }
            allowed_special(p.machine, row, encoding, spec, special).then_some(operand)
        }
    }
}

/// Special registers that single places refuse.
fn allowed_special(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    special: Special,
) -> bool {
    let traits = &row.traits;
    let facts = machine.facts();
    match special {
        Special::LdsDirect => {
            facts.lds_direct_operand
                && position(spec) == Some(0)
                && encoding.form != Form::Sdwa
                && !traits.no_lds
        }
        // Lane reads do not write M0; scalar instructions do not write EXEC.
        Special::M0 if spec.role == "sdst" => !traits.lane_read,
        Special::SharedBase | Special::SharedLimit | Special::PrivateBase | Special::PrivateLimit
            if spec.role == "sdst" =>
        {
            !traits.lane_read && !traits.scalar
        }
        Special::ExecLo | Special::ExecHi if spec.role == "sdst" => !traits.scalar,
        _ => true,
    }
}

/// Gives 16-bit operands their halves and `op_sel` the bits that go with them.
pub(super) fn finish_halves(
    row: &Row,
    encoding: &Encoding,
    traits: &Traits,
    halves: &Halves,
    modifiers: &[Modifier],
    inst: &mut Inst,
) -> Result<(), Miss> {
    if traits.true16 == 0 {
        return Ok(());
    }
    let wide = is_wide(encoding.form);
    // An `op_sel` of zeros is as good as none.
    let explicit = modifiers.iter().any(|modifier| modifier.name == "op_sel" && modifier.value != 0);
    for (spec, operand) in encoding.specs(row).zip(&mut inst.operands) {
        let Some(n) = position(spec).filter(|&n| traits.true16 >> n & 1 != 0) else { continue };
        let Operand::Reg(reg @ Reg { file: RegFile::Vgpr, .. }) = operand else { continue };
        let selected = inst.mods.op_sel >> n & 1 != 0;
        match reg.half {
            Half::Whole => reg.half = if wide && selected { Half::Hi } else { Half::Lo },
            Half::Lo | Half::Hi => {
                let high = reg.half == Half::Hi;
                if explicit && halves.written && selected != high {
                    return Err(Miss::stated(
                        0,
                        "op_sel and the halves that are written contradict each other",
                    ));
                }
                if wide && high {
                    inst.mods.op_sel |= 1 << n;
                }
            }
        }
    }
    Ok(())
}
