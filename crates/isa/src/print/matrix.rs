//! Text of the matrix family.

use super::Printer;
use crate::matrix::{Trait, constants_of_c, fits_role, inline_of};
use crate::role::Class;
use crate::row::{Access, Encoding, OperandSpec, Row};
use crate::ty::Type;
use crate::{Form, Inst, Mods, Operand, Reg, RegFile, Special, inline_float_bits};
use wavemark_target::Property;

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    let Some(encoding) = row.encoding(inst.form) else {
        p.text(row.mnemonic);
        return;
    };
    if let Some(second) = &inst.second {
        half(p, row, encoding, inst);
        p.text(" :: ");
        let row = second.row(p.machine);
        if let Some(encoding) = row.encoding(second.form) {
            half(p, row, encoding, second);
        }
        return;
    }
    p.text(row.mnemonic);
    if matches!(inst.form, Form::E64Dpp16 | Form::E64Dpp8) {
        p.text("_e64_dpp");
    }
    let mix = row.matrix == Trait::Mix;
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        p.text(if n == 0 { " " } else { ", " });
        if mix && n > 0 {
            signed(p, &inst.mods, n - 1, spec, operand, |p| {
                operand_text(p, row, encoding, inst, spec, operand)
            });
        } else {
            operand_text(p, row, encoding, inst, spec, operand);
        }
    }
    modifiers(p, row, encoding, inst);
}

/// One half of a pair.
fn half(p: &mut Printer, row: &Row, encoding: &Encoding, inst: &Inst) {
    p.text(row.mnemonic);
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        p.text(if n == 0 { " " } else { ", " });
        let source = match spec.role {
            "src0" => 0,
            "vsrc1" => 1,
            "vsrc2" => 2,
            _ => {
                p.operand(spec, operand);
                if spec.role == "smask" && matches!(operand, Operand::Int(_) | Operand::Float(_)) {
                    p.text("/*Invalid immediate*/");
                }
                continue;
            }
        };
        let wide = matches!(inst.form, Form::Vopd3X | Form::Vopd3Y);
        signed(p, &inst.mods, source, spec, operand, |p| {
            source_text(p, spec, if wide { single_of(spec.ty) } else { spec.ty }, operand);
        });
    }
    if inst.mods.control != 0 {
        bitop3(p, inst.mods.control);
    }
}

/// `bitop3:` of a truth table that is not 0; LLVM writes up to 10 in decimal.
fn bitop3(p: &mut Printer, table: u16) {
    p.text(" bitop3:");
    if table <= 10 {
        p.number(i64::from(table));
    } else {
        p.hex(u64::from(table));
    }
}

/// An operand with its negation and absolute value: `-|v1|`, `neg(1.0)`.
fn signed(
    p: &mut Printer,
    mods: &Mods,
    source: usize,
    spec: &OperandSpec,
    operand: &Operand,
    text: impl FnOnce(&mut Printer),
) {
    let neg = mods.neg >> source & 1 != 0;
    let abs = mods.abs >> source & 1 != 0;
    let constant = match operand {
        Operand::Reg(_) | Operand::Special(_) => false,
        // `lit(…)` is an expression, which takes a sign.
        Operand::Literal(bits) => !(spec.ty.bits() <= 32 && inline_of(&spec.ty, *bits as u32).is_some()),
        _ => true,
    };
    let call = neg && !abs && constant;
    match (neg, call) {
        (true, true) => p.text("neg("),
        (true, false) => p.text("-"),
        _ => {}
    }
    if abs {
        p.text("|");
    }
    text(p);
    if abs {
        p.text("|");
    }
    if call {
        p.text(")");
    }
}

/// A pair of halves as LLVM types it in DPP and VOPD3 forms: as one half.
fn single_of(ty: Type) -> Type {
    match (ty.elem_bits, ty.is_float()) {
        (16, true) => Type { lanes: 1, ..ty },
        _ => ty,
    }
}

/// A source that may be a literal: one that an inline constant of the given type would replace says `lit(…)`.
fn source_text(p: &mut Printer, spec: &OperandSpec, inline_ty: Type, operand: &Operand) {
    let (Operand::Literal(bits) | Operand::Literal64(bits)) = *operand else {
        p.operand(spec, operand);
        return;
    };
    let high = bits >> 32;
    let bits = bits as u32;
    let ty = &spec.ty;
    if high != 0 && ty.bits() <= 32 {
        // LLVM drops the high half of a literal of 64 bits, and does not say that it was a literal.
        return match bits as u16 as i16 {
            value @ -16..=64 if ty.elem_bits == 16 && ty.lanes == 1 => p.number(value.into()),
            value if ty.name == "f16" => p.hex(u64::from(value as u16)),
            _ => p.number32(bits),
        };
    }
    if matches!(operand, Operand::Literal64(_)) && high == 0 {
        p.text("lit64(");
        p.hex(u64::from(bits));
        return p.text(")");
    }
    if ty.bits() == 64 && ty.lanes == 1 {
        // The high half of a double.
        let double = u64::from(bits) << 32;
        match (240..=247).find(|&code| inline_float_bits(code, 64, false) == Some(double)) {
            Some(code) => p.operand(spec, &Operand::Float(code)),
            None if bits == 0 => p.text("0"),
            None => p.hex(u64::from(bits)),
        }
        return;
    }
    if inline_of(&inline_ty, bits).is_some() {
        p.text("lit(");
        p.hex(u64::from(bits));
        p.text(")");
        return;
    }
    // A half float shows its own bits, a bfloat all of the literal.
    p.hex(u64::from(if ty.name == "f16" { bits & 0xffff } else { bits }));
}

fn operand_text(
    p: &mut Printer,
    row: &Row,
    encoding: &Encoding,
    inst: &Inst,
    spec: &OperandSpec,
    operand: &Operand,
) {
    // What stands where a DPP instruction must have a VGPR.
    let vgpr_only = matches!(encoding.form, Form::E64Dpp16 | Form::E64Dpp8)
        && match spec.role {
            "src1" => row.matrix != Trait::Dot2,
            "src2" => !matches!(row.matrix, Trait::Dot2 | Trait::Mix),
            _ => false,
        };
    match operand {
        Operand::Literal(bits) if vgpr_only => {
            p.number32(*bits as u32);
            p.text("/*Invalid immediate*/");
        }
        Operand::Literal(_) | Operand::Literal64(_) => {
            let dpp = matches!(encoding.form, Form::E64Dpp16 | Form::E64Dpp8);
            source_text(p, spec, if dpp { single_of(spec.ty) } else { spec.ty }, operand);
        }
        Operand::Reg(reg) if matches!(spec.class, Class::Custom | Class::VgprSrc | Class::VgprOrAgpr) => {
            if is_vector(reg) {
                p.register_name(reg);
            } else {
                let align = super::scalar_alignment(spec.ty.dwords());
                let index = reg.index / align * align;
                if index != reg.index {
                    p.note_alignment(reg, spec.ty.dwords());
                }
                p.register_name(&Reg { index, ..*reg });
            }
            let alignment = u16::from(p.machine.facts().vgpr_tuple_alignment);
            let odd = is_vector(reg) && reg.dwords > 1 && reg.index % alignment != 0;
            if odd || !fits_role(p.machine, spec.role, operand) {
                invalid_register(p, inst, spec, reg.dwords);
            }
        }
        Operand::Special(special) if spec.class == Class::Custom || spec.class == Class::VgprSrc => {
            p.operand(spec, operand);
            if is_register(*special) {
                invalid_register(p, inst, spec, spec.ty.dwords());
            }
        }
        // The scale pairs are 64-bit operands to LLVM, and so is C of gfx11 where it has 8 registers.
        Operand::Float(248)
            if spec.role.starts_with("scale") && spec.ty.dwords() == 2
                || constants_of_c(row, encoding, spec) == Some("f64") =>
        {
            p.text("0.15915494309189532");
        }
        // Whatever the width of C, its constants are those of an element.
        Operand::Float(248) if spec.role == "srcc" && spec.ty.elem_bits < 64 => p.text("0.15915494"),
        Operand::Int(_) | Operand::Float(_) => {
            let custom = matches!(spec.class, Class::Custom | Class::VgprSrc);
            let invalid = vgpr_only || (custom && !fits_role(p.machine, spec.role, operand));
            match operand {
                Operand::Float(code) if invalid => p.text(super::float_name(*code)),
                _ => p.operand(spec, operand),
            }
            if invalid {
                p.text("/*Invalid immediate*/");
            }
        }
        Operand::Reg(reg) if spec.role.starts_with("scale") && is_vector(reg) => {
            p.register_name(reg);
            if reg.dwords > 1 && reg.index % 2 != 0 {
                p.text("/*Invalid register, operand has 'VS_64_Lo256' register class*/");
            }
        }
        _ => {
            p.operand(spec, operand);
            let scalar = match operand {
                Operand::Reg(reg) => !is_vector(reg),
                Operand::Special(special) => is_register(*special),
                _ => false,
            };
            if scalar && vgpr_only {
                p.text("/*Invalid register, operand has 'VGPR_32' register class*/");
            }
        }
    }
}

fn is_vector(reg: &Reg) -> bool {
    matches!(reg.file, RegFile::Vgpr | RegFile::Agpr)
}

/// Whether the name is that of SGPRs or the like, not of a value.
fn is_register(special: Special) -> bool {
    use Special as S;
    matches!(
        special,
        S::Vcc
            | S::VccLo
            | S::VccHi
            | S::Exec
            | S::ExecLo
            | S::ExecHi
            | S::FlatScratch
            | S::FlatScratchLo
            | S::FlatScratchHi
            | S::XnackMask
            | S::XnackMaskLo
            | S::XnackMaskHi
            | S::M0
            | S::LdsDirect
    )
}

/// LLVM's comment behind a register that the operand's class does not contain.
fn invalid_register(p: &mut Printer, inst: &Inst, spec: &OperandSpec, dwords: u8) {
    p.text("/*Invalid register, operand has '");
    let agprs = match spec.role {
        "asrc" | "adst" => true,
        "srcc" | "mdst" => {
            matches!(inst.operands.first(), Some(Operand::Reg(Reg { file: RegFile::Agpr, .. })))
        }
        _ => false,
    };
    // The destination of SMFMAC is a source too.
    let tied = spec.access == Access::ReadWrite;
    let either = p.machine.has(Property::AGPRS) && (tied || matches!(spec.role, "srca" | "srcb"));
    if dwords == 1 {
        p.text(match (either, agprs) {
            (true, _) => "AV_32",
            (_, true) => "AGPR_32",
            _ => "VGPR_32",
        });
    } else {
        p.text(match (either, agprs) {
            (true, _) => "AV_",
            (_, true) => "AReg_",
            _ => "VReg_",
        });
        p.number(i64::from(dwords) * 32);
        if p.machine.facts().vgpr_tuple_alignment == 2 {
            p.text("_Align2");
        }
    }
    p.text("' register class*/");
}

/// The modifiers that the encoding has and that are not at their defaults, in LLVM's order.
fn modifiers(p: &mut Printer, row: &Row, encoding: &Encoding, inst: &Inst) {
    let mods = &inst.mods;
    let has = |name: &str| encoding.has_modifier(name);
    let multiplies = matches!(row.matrix, Trait::Mfma | Trait::Smfmac | Trait::F8f6f4);
    if row.matrix == Trait::F8f6f4 && row.operand_index("vscalea").is_some() {
        // LLVM's lists here have three elements, the last 0, and a default of all ones.
        list(p, " op_sel:[", mods.op_sel, 3, 0);
        list(p, " op_sel_hi:[", mods.op_sel_hi, 3, 7);
        value(p, " cbsz:", mods.cbsz);
        value(p, " blgp:", mods.blgp);
        return;
    }
    if multiplies && has("cbsz") {
        value(p, " cbsz:", mods.cbsz);
        value(p, " abid:", mods.abid);
        value(p, " blgp:", mods.blgp);
        list(p, " neg:[", mods.neg, 3, 0);
        return;
    }
    let sources = encoding.specs(row).filter(|spec| spec.role.starts_with("src")).count();
    let mix = row.matrix == Trait::Mix;
    list(p, " op_sel:[", mods.op_sel, sources, 0);
    if has("op_sel_hi") {
        list(p, " op_sel_hi:[", mods.op_sel_hi, sources, if mix { 0 } else { 7 });
    }
    if matches!(row.matrix, Trait::Wmma | Trait::Swmmac | Trait::F8f6f4 | Trait::LdScale) {
        wmma_modifiers(p, row, mods);
    }
    if !mix {
        // Lists of WMMA's A, B and C have three elements, whatever stands for C.
        let sparse = matches!(row.matrix, Trait::Swmmac);
        let sources = if sparse { 3 } else { sources };
        list(p, " neg_lo:[", mods.neg, sources, 0);
        list(p, " neg_hi:[", mods.neg_hi, sources, 0);
    }
    flag(p, " clamp", mods.clamp);
    if let Some(dpp) = &mods.dpp {
        super::vector_controls::dpp(p, dpp, false);
    }
}

/// Names of the matrix data formats that LLVM writes.
pub(crate) static DATA_FORMATS: [&str; 5] =
    ["MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6", "MATRIX_FMT_BF6", "MATRIX_FMT_FP4"];
/// Names of the scale formats.
pub(crate) static SCALE_FORMATS: [&str; 3] =
    ["MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3", "MATRIX_SCALE_FMT_E4M3"];
/// Names of the scale selectors.
pub(crate) static SCALE_ROWS: [&str; 2] = ["MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1"];

fn wmma_modifiers(p: &mut Printer, row: &Row, mods: &Mods) {
    let part = |lo: u32, width: u32| mods.matrix >> lo & ((1 << width) - 1);
    value(p, " index_key:", part(10, 2) as u8);
    if row.matrix == Trait::F8f6f4 {
        name(p, " matrix_a_fmt:", mods.cbsz, &DATA_FORMATS);
        name(p, " matrix_b_fmt:", mods.blgp, &DATA_FORMATS);
    }
    name(p, " matrix_a_scale:", part(2, 1) as u8, &SCALE_ROWS);
    name(p, " matrix_b_scale:", part(4, 1) as u8, &SCALE_ROWS);
    name(p, " matrix_a_scale_fmt:", part(6, 2) as u8, &SCALE_FORMATS);
    name(p, " matrix_b_scale_fmt:", part(8, 2) as u8, &SCALE_FORMATS);
    flag(p, " matrix_a_reuse", part(0, 1) != 0);
    flag(p, " matrix_b_reuse", part(1, 1) != 0);
}

fn flag(p: &mut Printer, text: &str, set: bool) {
    if set {
        p.text(text);
    }
}

fn value(p: &mut Printer, text: &str, value: u8) {
    if value != 0 {
        p.text(text);
        p.number(i64::from(value));
    }
}

fn name(p: &mut Printer, text: &str, value: u8, names: &[&str]) {
    if value != 0 {
        p.text(text);
        match names.get(usize::from(value)) {
            Some(name) => p.text(name),
            None => p.number(i64::from(value)),
        }
    }
}

/// `name:[b0,b1…]` unless all of the `count` bits are those of `default`.
fn list(p: &mut Printer, text: &str, bits: u8, count: usize, default: u8) {
    let mask = (1u8 << count.min(7)) - 1;
    if bits & mask == default & mask {
        return;
    }
    p.text(text);
    for n in 0..count {
        if n > 0 {
            p.text(",");
        }
        p.text(if bits >> n & 1 == 0 { "0" } else { "1" });
    }
    p.text("]");
}
