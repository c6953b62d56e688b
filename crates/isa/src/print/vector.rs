//! Text of the vector family.
//!
//! Order: name with the form's suffix, operands with their source modifiers, then `bitop3`, `op_sel`,
//! `byte_sel`, `clamp`, `omod`, and the DPP or SDWA controls.

use wavemark_target::InstFeature;

use super::Printer;
use super::vector_controls::controls;
use crate::parse::vector_constant::{inline, splat};
use crate::role::Class;
use crate::row::{OperandSpec, Row};
use crate::ty::Kind;
use crate::vector::{Traits, is_wide, position};
use crate::{Form, Half, Inst, Operand, Reg, RegFile, Special, inline_float_bits};

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    let traits = row.traits;
    p.text(row.mnemonic);
    p.text(suffix(p, row, inst, &traits));
    let Some(encoding) = row.encoding(inst.form) else { return };
    let halves = halves_are_written(p, inst, &traits);
    let statement = Statement { inst, traits: &traits, halves };
    for (n, (&(index, field), operand)) in encoding.operands.iter().zip(&inst.operands).enumerate() {
        p.text(if n == 0 { " " } else { ", " });
        let short = field.is_some_and(|field| field.width() == 8);
        statement.source(p, &row.operands[index], short, operand);
    }
    controls(p, row, inst, &traits, halves);
}

fn suffix(p: &Printer, row: &Row, inst: &Inst, traits: &Traits) -> &'static str {
    if row.operands.is_empty() {
        return "";
    }
    match inst.form {
        Form::Native => "",
        Form::E32 if traits.plain || row.encoding(Form::E64).is_none() => "",
        Form::E32 => "_e32",
        Form::E64 if traits.plain => "",
        Form::E64 => "_e64",
        // LLVM writes the 32-bit compares with DPP controls without suffix, and those with SDWA controls where
        // their destination is VCC by definition.
        Form::Dpp16 | Form::Dpp8 if !traits.vdst && !row.operands.is_empty() => "",
        Form::Sdwa if !traits.vdst && !p.machine.has_inst(InstFeature::SdwaSdst) => "",
        Form::Dpp16 | Form::Dpp8 => "_dpp",
        Form::E64Dpp16 | Form::E64Dpp8 => "_e64_dpp",
        Form::Sdwa => "_sdwa",
        Form::VopdX | Form::VopdY | Form::Vopd3X | Form::Vopd3Y => "",
    }
}

/// Whether 16-bit operands are written as halves. An encoding with `op_sel` bits that no operand has is shown
/// in the old manner, as LLVM does.
fn halves_are_written(p: &Printer, inst: &Inst, traits: &Traits) -> bool {
    p.machine.real_true16()
        && traits.true16 != 0
        && (!is_wide(inst.form) || inst.mods.op_sel & !traits.op_sel_bits() == 0)
}

/// What the text of an operand depends on beyond the operand.
struct Statement<'a> {
    inst: &'a Inst,
    traits: &'a Traits,
    /// 16-bit registers are written as halves.
    halves: bool,
}

impl Statement<'_> {
    /// An operand with `neg`, `abs` and `sext`; `short` says that its field holds a VGPR number only.
    fn source(&self, p: &mut Printer, spec: &OperandSpec, short: bool, operand: &Operand) {
        let bit = match position(spec) {
            Some(n @ 0..=2) => 1u8 << n,
            _ => return self.plain(p, spec, short, operand),
        };
        let mods = &self.inst.mods;
        let negated = mods.neg & bit != 0;
        let absolute = mods.abs & bit != 0;
        let extended = mods.sdwa.is_some_and(|sdwa| sdwa.sext & bit != 0);
        if extended {
            p.text("sext(");
        }
        let start = p.out.len();
        if absolute {
            p.text("|");
        }
        self.plain(p, spec, short, operand);
        if absolute {
            p.text("|");
        }
        // `-1` is the number; the negated constant is `neg(1)`.
        let called = negated && is_constant(operand) && !absolute && !p.out[start..].starts_with("lit");
        if called {
            p.out.insert_str(start, "neg(");
        } else if negated {
            p.out.insert(start, '-');
        }
        if called || extended {
            p.text(")");
        }
    }

    fn plain(&self, p: &mut Printer, spec: &OperandSpec, short: bool, operand: &Operand) {
        let narrow = spec.ty.bits() == 16;
        let bytes = spec.ty.kind == Kind::Narrow && !p.machine.has_inst(InstFeature::True16);
        let half_bits = narrow && spec.ty.kind != Kind::Bfloat && !bytes;
        match *operand {
            Operand::Reg(reg @ Reg { file: RegFile::Vgpr, half: Half::Lo | Half::Hi, .. }) => {
                return self.half(p, spec, short, reg);
            }
            Operand::Reg(Reg { file: RegFile::Vgpr, .. }) if short => {
                let spec = OperandSpec { class: Class::Vgpr, ..spec.clone() };
                return p.operand(&spec, operand);
            }
            Operand::Float(code)
                if narrow
                    && !bytes
                    && !self.traits.float_constants
                    && !spec.ty.is_float()
                    && spec.class != Class::VgprSrc =>
            {
                p.hex(inline_float_bits(code, 16, false).unwrap_or_default());
            }
            Operand::Float(code) if self.traits.no_inline => {
                p.hex(inline_float_bits(code, 32, false).unwrap_or_default());
            }
            // LLVM shows a lane mask in VGPRs without a remark on its alignment.
            Operand::Reg(reg @ Reg { file: RegFile::Vgpr, .. }) if spec.class == Class::ScalarReg => {
                return p.register_name(&reg);
            }
            Operand::Float(248) if spec.class == Class::ScalarReg => p.text("0.15915494"),
            Operand::Literal(bits)
                if half_bits
                    && !matches!(spec.class, Class::Literal32 | Class::VgprSrc | Class::ScalarReg) =>
            {
                // Integers of 16 bits compare with the inline constants of 32.
                let float = spec.ty.is_float() || self.traits.float_constants;
                let shown = if float {
                    inline(p.machine, bits & 0xffff, 16, false)
                } else {
                    inline(p.machine, bits, 32, false)
                };
                if shown.is_some() {
                    p.text("lit(");
                    p.hex(bits);
                    p.text(")");
                } else {
                    p.hex(bits & 0xffff);
                }
            }
            Operand::Literal(bits)
                if narrow && spec.ty.kind == Kind::Bfloat && spec.class != Class::Literal32 =>
            {
                literal(p, bits, inline(p.machine, bits & 0xffff, 16, true).is_some());
            }
            // The high half of a double; where literals have 32 bits only, LLVM shows an inline constant's value.
            Operand::Literal(bits)
                if spec.ty.kind == Kind::Float && spec.ty.bits() == 64 && !p.machine.facts().literals_64 =>
            {
                match inline(p.machine, bits << 32, 64, false) {
                    Some(constant) if spec.ty.lanes == 1 => p.operand(spec, &constant),
                    _ => p.hex(bits),
                }
            }
            // The 32 bits of a literal are those of the packed elements' integer.
            Operand::Literal(bits) if wide_constant(spec) && spec.ty.lanes > 1 => {
                literal(p, bits, inline(p.machine, bits, 64, false).is_some());
            }
            Operand::Literal(bits) if self.traits.splat && spec.ty.lanes == 2 => {
                literal(p, bits, splat(p.machine, bits).is_some());
            }
            // A pair of 16-bit integers outside of packed arithmetic compares with the constants of 32 bits.
            Operand::Literal(bits)
                if spec.ty.lanes == 2
                    && spec.ty.bits() == 32
                    && !spec.ty.is_float()
                    && !self.traits.no_inline =>
            {
                literal(p, bits, inline(p.machine, bits, 32, false).is_some());
            }
            Operand::Literal(bits) if self.traits.no_inline => match inline(p.machine, bits, 32, false) {
                Some(Operand::Int(value)) => p.number(i64::from(value)),
                _ => p.hex(bits),
            },
            // Of 64 bits the operand reads the low ones; integers of 16 bits compare with the constants of 32.
            Operand::Literal64(bits) if half_bits && low_constant(p, spec, bits).is_some() => {
                if let Some(constant) = low_constant(p, spec, bits) {
                    p.operand(spec, &constant);
                }
            }
            Operand::Literal64(bits)
                if spec.ty.bits() == 32 && bits >> 32 != 0 && low_constant(p, spec, bits).is_some() =>
            {
                if let Some(constant) = low_constant(p, spec, bits) {
                    p.operand(spec, &constant);
                }
            }
            Operand::Literal64(bits) if spec.ty.elem_bits < 64 && !wide_constant(spec) => {
                if bits >> 32 == 0 && !half_bits {
                    p.operand(spec, operand);
                } else {
                    p.hex(bits & if half_bits { 0xffff } else { 0xffff_ffff });
                }
            }
            _ => p.operand(spec, operand),
        }
        self.refuse(p, spec, operand);
    }

    /// A 16-bit register, as half or in the old manner.
    fn half(&self, p: &mut Printer, spec: &OperandSpec, short: bool, reg: Reg) {
        if self.halves {
            return p.register_name(&reg);
        }
        let high = reg.half == Half::Hi && !is_wide(self.inst.form);
        let index = reg.index | if high { 0x80 } else { 0 };
        p.register_name(&Reg { half: Half::Whole, index, ..reg });
        if index > 0x7f && !is_wide(self.inst.form) {
            invalid_register(
                p,
                if short || spec.class == Class::Vgpr { "VGPR_32_Lo128" } else { "VS_32_Lo128" },
            );
        }
    }

    /// LLVM's comment on an operand that cannot stand where it does.
    fn refuse(&self, p: &mut Printer, spec: &OperandSpec, operand: &Operand) {
        let vector = matches!(operand, Operand::Reg(Reg { file: RegFile::Vgpr, .. }));
        if self.inst.form == Form::Sdwa {
            return;
        }
        let must_be_register = matches!(spec.class, Class::VgprSrc | Class::ScalarReg | Class::Custom);
        if must_be_register && is_constant(operand) {
            return p.text("/*Invalid immediate*/");
        }
        match spec.class {
            Class::VgprSrc if !vector => {
                let lanes = self.traits.lane_read;
                let fixed = match operand {
                    Operand::Special(Special::LdsDirect) => lanes,
                    Operand::Special(special) => is_fixed_value(*special),
                    _ => false,
                };
                if !fixed && spec.ty.bits() == 16 && self.halves {
                    invalid_register(p, "VGPR_16_Lo128");
                } else if !fixed {
                    invalid_register(p, &vgpr_class(p.machine, spec.ty.dwords(), lanes));
                }
            }
            Class::Custom => match operand {
                Operand::Reg(Reg { file: RegFile::Agpr, .. }) => {}
                Operand::Special(special) if is_fixed_value(*special) => {}
                _ => invalid_register(p, "AGPR_32"),
            },
            Class::ScalarSrc if vector || *operand == Operand::Special(Special::LdsDirect) => {
                let direct = self.traits.lane && !self.traits.no_lds && spec.role == "ssrc0";
                if vector || !direct {
                    invalid_register(p, if direct { "SRegOrLds_32" } else { "SReg_32" });
                }
            }
            Class::ScalarReg if self.traits.scalar || self.traits.lane_read => {
                let (excluded, class) = match self.traits.scalar {
                    true => ([Special::ExecLo, Special::ExecHi, Special::LdsDirect], "SReg_32_XEXEC"),
                    false => ([Special::M0, Special::M0, Special::LdsDirect], "SReg_32_XM0"),
                };
                if excluded.iter().any(|special| *operand == Operand::Special(*special)) {
                    invalid_register(p, class);
                }
            }
            _ => {}
        }
    }
}

fn is_constant(operand: &Operand) -> bool {
    matches!(operand, Operand::Int(_) | Operand::Float(_) | Operand::Literal(_) | Operand::Literal64(_))
}

/// Values that LLVM lets stand in place of any register.
fn is_fixed_value(special: Special) -> bool {
    !matches!(
        special,
        Special::LdsDirect
            | Special::Vcc
            | Special::VccLo
            | Special::VccHi
            | Special::Exec
            | Special::ExecLo
            | Special::ExecHi
            | Special::FlatScratch
            | Special::FlatScratchLo
            | Special::FlatScratchHi
            | Special::XnackMask
            | Special::XnackMaskLo
            | Special::XnackMaskHi
            | Special::Tba
            | Special::TbaLo
            | Special::TbaHi
            | Special::Tma
            | Special::TmaLo
            | Special::TmaHi
            | Special::M0
    )
}

/// LLVM's name of the class of VGPR tuples.
fn vgpr_class(machine: crate::Machine, dwords: u8, lanes: bool) -> String {
    match dwords {
        1 if lanes => "VRegOrLds_32".to_owned(),
        1 => "VGPR_32".to_owned(),
        _ => {
            let aligned = if machine.facts().vgpr_tuple_alignment > 1 { "_Align2" } else { "" };
            format!("VReg_{}{aligned}", u32::from(dwords) * 32)
        }
    }
}

/// The inline constant that LLVM shows for a literal of 64 bits whose low ones the operand reads.
fn low_constant(p: &Printer, spec: &OperandSpec, bits: u64) -> Option<Operand> {
    if spec.ty.bits() == 16 && spec.ty.is_float() {
        return inline(p.machine, bits & 0xffff, 16, spec.ty.kind == Kind::Bfloat);
    }
    let constant = inline(p.machine, bits & 0xffff_ffff, 32, false)?;
    (spec.ty.bits() == 32 || matches!(constant, Operand::Int(_))).then_some(constant)
}

/// A literal; `ambiguous`: as text its number would be an inline constant.
fn literal(p: &mut Printer, bits: u64, ambiguous: bool) {
    p.text(if ambiguous { "lit(" } else { "" });
    p.hex(bits);
    p.text(if ambiguous { ")" } else { "" });
}

/// Packed 8-bit and 16-bit elements that fill 64 bits take 64-bit constants.
pub(crate) fn wide_constant(spec: &OperandSpec) -> bool {
    spec.ty.bits() == 64 && spec.ty.elem_bits != 32
}

fn invalid_register(p: &mut Printer, class: &str) {
    p.text("/*Invalid register, operand has '");
    p.text(class);
    p.text("' register class*/");
}
