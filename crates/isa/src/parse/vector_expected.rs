//! Why a form does not take a statement, and what it would take instead: the messages of the vector family.
//!
//! Every form of an instruction is tried, and all but one fail, so failing costs nothing: a [`Miss`] is a place and a
//! reason, and only that of the form that got furthest becomes text.

use wavemark_target::InstFeature;

use super::operand::RegisterText;
use super::vector::{Item, Value};
use super::{ParseError, Parser};
use crate::code;
use crate::format::Field;
use crate::role::{Class, ImmKind};
use crate::row::{Encoding, OperandSpec, Row};
use crate::ty::Kind;
use crate::vector::{position, vcc};
use crate::{Form, Half, Reg, RegFile, Special};

/// Where and why a form does not take the statement.
pub(super) struct Miss {
    /// Byte offset.
    pub(super) at: usize,
    pub(super) why: Why,
}

pub(super) enum Why {
    /// An operand is missing: how many there are.
    TooFew,
    /// There is one more than the form has.
    TooMany,
    /// The operand of the row (its index) cannot be what is written.
    Operand(usize),
    /// Modifiers are in the wrong order, or the form has none of the name.
    Modifier {
        name: &'static str,
        all: Vec<&'static str>,
    },
    /// The form needs a control that is not there.
    NoDpp,
    Stated(&'static str),
}

impl Miss {
    pub(super) fn stated(at: usize, text: &'static str) -> Miss {
        Miss { at, why: Why::Stated(text) }
    }
}

/// The error that a miss of this form is.
pub(super) fn explain(p: &Parser, row: &Row, encoding: &Encoding, items: &[Item], miss: &Miss) -> ParseError {
    let message = match &miss.why {
        Why::TooFew => {
            format!("{} takes {}; {} are given", row.mnemonic, signature(row, encoding), items.len())
        }
        Why::TooMany => format!("unexpected operand: {} takes {}", row.mnemonic, signature(row, encoding)),
        Why::Operand(index) => {
            let field =
                encoding.operands.iter().find(|(other, _)| other == index).and_then(|(_, field)| *field);
            let item = items.iter().find(|item| item.start == miss.at);
            operand(p, row, encoding, &row.operands[*index], field, item)
        }
        Why::Modifier { name, all } if all.contains(name) => {
            let (name, all) = (spoken(name), words(all));
            format!("{name} stands in the wrong place or twice: the order is {all}")
        }
        Why::Modifier { name, all } if all.is_empty() => {
            format!("{}{} takes no modifiers such as {}", row.mnemonic, suffix(encoding.form), spoken(name))
        }
        Why::Modifier { name, all } => {
            let form = suffix(encoding.form);
            format!("{}{form} has no modifier {}; it has {}", row.mnemonic, spoken(name), words(all))
        }
        Why::NoDpp => {
            format!("{}{} needs a DPP control, as in row_shl:1", row.mnemonic, suffix(encoding.form))
        }
        Why::Stated(text) => (*text).to_owned(),
    };
    p.error_at(miss.at, message)
}

/// A modifier as one speaks of it.
fn spoken(name: &str) -> &str {
    match name {
        "dpp_ctrl" => "a DPP control (quad_perm, row_shl, …)",
        "omod" => "mul or div",
        _ => name,
    }
}

fn words(all: &[&str]) -> String {
    all.iter().map(|name| spoken(name)).collect::<Vec<_>>().join(", ")
}

/// The error for a suffix that asks for a form that the rows do not have.
pub(super) fn no_such_form(p: &Parser, rows: &[&Row], asked: &str) -> ParseError {
    let mut forms: Vec<&str> = Vec::new();
    for encoding in rows.iter().flat_map(|row| &row.encodings) {
        let name = suffix(encoding.form);
        if !name.is_empty() && !forms.contains(&name) {
            forms.push(name);
        }
    }
    let mnemonic = rows.first().map_or("", |row| row.mnemonic);
    let message = match forms[..] {
        [] => format!("{mnemonic} has one form only on this processor, without suffix"),
        _ => format!("{mnemonic} has no form {asked} on this processor; it has {}", forms.join(", ")),
    };
    p.error_at(0, message)
}

pub(super) fn suffix(form: Form) -> &'static str {
    match form {
        Form::E32 => "_e32",
        Form::E64 => "_e64",
        Form::Dpp16 | Form::Dpp8 => "_dpp",
        Form::E64Dpp16 | Form::E64Dpp8 => "_e64_dpp",
        Form::Sdwa => "_sdwa",
        _ => "",
    }
}

fn signature(row: &Row, encoding: &Encoding) -> String {
    let roles: Vec<&str> = encoding.specs(row).map(|spec| spec.role).collect();
    match roles.len() {
        0 => "no operands".to_owned(),
        count => format!("{count} operands ({})", roles.join(", ")),
    }
}

/// What is wrong with an operand, and what can stand there.
fn operand(
    p: &Parser,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    field: Option<&Field>,
    item: Option<&Item>,
) -> String {
    let role = spec.role;
    if field.is_some_and(|field| field.pieces.is_empty()) && matches!(role, "sdst" | "smask") {
        let name = crate::print::special_name(vcc(&spec.ty));
        return format!("{role} of this form is {name}");
    }
    let mut narrow = field.is_some_and(|field| field.width() == 8 && field.flip == code::VGPR);
    let bit = position(spec).filter(|&n| n < 3).map_or(0, |n| 1u8 << n);
    if let Some(item) = item {
        if (item.neg || item.abs) && row.traits.mods & bit == 0 {
            return format!("{role} of {} takes neither neg nor abs", row.mnemonic);
        }
        if item.abs && encoding.format.field("abs").is_none() {
            return format!("{}{} has no absolute values", row.mnemonic, suffix(encoding.form));
        }
        if item.sext && (encoding.form != Form::Sdwa || row.traits.mods & bit != 0) {
            return format!("sext is for integer sources of SDWA forms; {role} is none");
        }
        match (encoding.form, bit) {
            (Form::Dpp16, 1) if spec.ty.dwords() > 1 && !p.machine.has_inst(InstFeature::Dpp64bit) => {
                return format!("{role} has 64 bits, which DPP cannot move on this processor");
            }
            (Form::E64Dpp16 | Form::E64Dpp8, 2) if !p.machine.has_inst(InstFeature::DppSrc1Sgpr) => {
                narrow = true
            }
            _ => {}
        }
        if matches!(item.value, Value::Register(RegisterText::Named(Special::LdsDirect))) {
            return "lds_direct can only be the first source, not of reversed and SDWA instructions, and not on every \
                    processor"
                .to_owned();
        }
        let constant = matches!(item.value, Value::Constant(..)) && spec.class == Class::VectorSrc;
        if constant && !narrow && spec.ty.bits() == 16 && !p.machine.has_inst(InstFeature::Bits16Insts) {
            return format!("{role} has 16 bits; VOP3 has no constants of so many on this processor");
        }
        if let Value::Register(RegisterText::Numbered(reg)) = &item.value
            && let Some(text) = register(p, encoding, spec, reg)
        {
            return text;
        }
    }
    format!("{role} must be {}", allowed(p, spec, narrow))
}

/// What is wrong with a register as this operand, beside its file.
fn register(p: &Parser, encoding: &Encoding, spec: &OperandSpec, reg: &Reg) -> Option<String> {
    let (role, dwords) = (spec.role, spec.ty.dwords());
    let vector = matches!(reg.file, RegFile::Vgpr | RegFile::Agpr);
    let takes_vector = matches!(spec.class, Class::Vgpr | Class::VgprSrc | Class::VectorSrc);
    let takes_scalar = matches!(spec.class, Class::ScalarReg | Class::ScalarSrc | Class::VectorSrc);
    if !(vector && takes_vector || !vector && takes_scalar) {
        return None;
    }
    if reg.dwords != dwords {
        let registers = |n: u8| if n == 1 { "1 register".to_owned() } else { format!("{n} registers") };
        return Some(format!("{role} has {} here, not {}", registers(dwords), registers(reg.dwords)));
    }
    let alignment = p.machine.facts().vgpr_tuple_alignment;
    if vector && dwords > 1 && !reg.index.is_multiple_of(u16::from(alignment)) {
        return Some(format!("{role} must begin at a multiple of {alignment}"));
    }
    if reg.half != Half::Whole && spec.ty.bits() != 16 {
        return Some(format!("{role} is no half of a register"));
    }
    let short = matches!(encoding.form, Form::E32 | Form::Dpp16 | Form::Dpp8);
    if vector && short && spec.ty.bits() == 16 && reg.index > 127 {
        return Some(format!("{role} of this form must be a half of v0 to v127"));
    }
    None
}

/// What can stand in an operand.
fn allowed(p: &Parser, spec: &OperandSpec, narrow: bool) -> String {
    let dwords = spec.ty.dwords();
    let tuple = |file: &str, name: &str| match dwords {
        1 => format!("{name}, as in {file}0"),
        _ => format!("{dwords} {name}s, as in {file}[0:{}]", dwords - 1),
    };
    let vgpr = match (spec.ty.bits(), p.machine.real_true16()) {
        (16, true) => "a half of a VGPR, as in v0.l".to_owned(),
        _ => tuple("v", if dwords == 1 { "a VGPR" } else { "VGPR" }),
    };
    let constant = if spec.ty.is_float() { "a number" } else { "an integer" };
    match spec.class {
        Class::Vgpr | Class::VgprSrc => vgpr,
        _ if narrow => vgpr,
        Class::ScalarReg
            if matches!(spec.role, "sdst" | "smask")
                && spec.ty.kind == Kind::Bits
                && spec.ty.bits() == p.machine.lanes() =>
        {
            let name = crate::print::special_name(vcc(&spec.ty));
            format!("{}, or {name}", tuple("s", if dwords == 1 { "an SGPR" } else { "SGPR" }))
        }
        Class::ScalarReg => tuple("s", if dwords == 1 { "an SGPR" } else { "SGPR" }),
        Class::ScalarSrc => format!(
            "{}, a special register, or {constant}",
            tuple("s", if dwords == 1 { "an SGPR" } else { "SGPR" })
        ),
        Class::VectorSrc if dwords == 1 => format!("a VGPR, an SGPR, a special register, or {constant}"),
        Class::VectorSrc => {
            format!("{dwords} VGPRs or SGPRs, as in v[0:{}], a special register, or {constant}", dwords - 1)
        }
        Class::Custom => "an AGPR, as in a0".to_owned(),
        Class::Literal32 => format!("{constant} of 32 bits"),
        Class::Literal64 => format!("{constant} of 64 bits"),
        Class::Imm(ImmKind::Attribute) => "an attribute with its channel, as in attr3.y".to_owned(),
        Class::Imm(ImmKind::Parameter) => "p10, p20 or p0".to_owned(),
        _ => "a number".to_owned(),
    }
}
