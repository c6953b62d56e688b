//! What may stand in an operand of a memory instruction, for messages.

use wavemark_target::facts::Offset;

use crate::cache_policy;
use crate::format::Addressing;
use crate::parse::{ParseError, Parser};
use crate::print::scalar_alignment;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};

/// The error with the operand's name and what was expected, where it said no more than that it is wrong.
pub(super) fn name(p: &Parser, error: ParseError, row: &Row, spec: &OperandSpec) -> ParseError {
    if error.message != "invalid operand for instruction" {
        return error;
    }
    ParseError { message: format!("{}: expected {}", spec.role, what(p, row, spec)), ..error }
}

fn what(p: &Parser, row: &Row, spec: &OperandSpec) -> String {
    let dwords = spec.ty.dwords();
    let facts = p.machine.facts();
    match (spec.role, row.memory.addressing) {
        ("vaddr", Some(Addressing::Scratch)) => "a VGPR or off".to_owned(),
        ("vaddr", Some(Addressing::Buffer | Addressing::TypedBuffer)) => {
            format!("off, a VGPR, or {}", vgprs(2, facts.vgpr_tuple_alignment, "VGPRs"))
        }
        ("vaddr", Some(Addressing::Flat)) if row.memory.fields.saddr.is_none() => {
            vgprs(2, facts.vgpr_tuple_alignment, "VGPRs")
        }
        ("vaddr", _) => {
            format!("{}, or a VGPR beside SGPRs", vgprs(2, facts.vgpr_tuple_alignment, "VGPRs"))
        }
        ("saddr", Some(Addressing::Flat)) => sgprs(dwords),
        ("saddr", _) if row.operands.len() == 1 => format!("{} or null", sgprs(dwords)),
        ("saddr", _) => format!("{} or off", sgprs(dwords)),
        ("soffset", Some(Addressing::ScalarBase)) => "an SGPR or a number".to_owned(),
        ("soffset", _) => match row.memory.soffset_class {
            Some(Class::ScalarSrc) => "an SGPR, m0, or an inline constant".to_owned(),
            _ => "an SGPR, m0, or null".to_owned(),
        },
        _ => match spec.class {
            Class::VgprOrAgpr if facts.agpr_operands => {
                vgprs(dwords, facts.vgpr_tuple_alignment, "VGPRs or AGPRs")
            }
            Class::Vgpr | Class::VgprOrAgpr => vgprs(dwords, facts.vgpr_tuple_alignment, "VGPRs"),
            Class::Imm(_) => "a number".to_owned(),
            _ => sgprs(dwords),
        },
    }
}

/// The words that may follow the operands of a row, in their order, where something else stands.
pub(super) fn words(p: &Parser, row: &Row, encoding: &Encoding) -> String {
    let policy = p.machine.facts().cache_policy;
    let scalar = row.memory.addressing == Some(Addressing::ScalarBase);
    let has = |name: &str| encoding.has_modifier(name);
    let mut words: Vec<&str> = Vec::new();
    words.extend(["format", "addr64", "idxen", "offen"].into_iter().filter(|name| has(name)));
    match row.memory.addressing {
        Some(Addressing::ScalarBase) => {}
        Some(Addressing::Lds2) => words.extend(["offset0", "offset1"]),
        _ if has("offset") => words.push("offset"),
        _ => {}
    }
    if row.memory.policy {
        match cache_policy::words(policy, scalar) {
            [] => words.extend(policy.words()),
            known => words.extend(known.iter().map(|(word, _)| *word)),
        }
    }
    words.extend(["tfe", "gds"].into_iter().filter(|name| has(name)));
    if row.memory.lds {
        words.push("lds");
    }
    match &words[..] {
        [] => "expected the end of the instruction".to_owned(),
        words => format!("expected the end of the instruction, or in this order {}", words.join(" ")),
    }
}

/// That a number is not one of an offset's.
pub(super) fn offset(offset: Offset) -> String {
    let sign = if offset.signed { "signed" } else { "unsigned" };
    let article = if matches!(offset.bits, 8 | 11) { "an" } else { "a" };
    let unit = if offset.unit == 4 { " in dwords" } else { "" };
    format!(
        "expected {article} {}-bit {sign} offset{unit}, {} to {}",
        offset.bits,
        offset.min(),
        offset.max()
    )
}

fn vgprs(dwords: u8, align: u8, files: &str) -> String {
    match dwords {
        1 => format!("a {}", files.replace('s', "")),
        _ if align > 1 => format!("{dwords} {files}, the first an even one"),
        _ => format!("{dwords} {files}"),
    }
}

fn sgprs(dwords: u8) -> String {
    match dwords {
        1 => "an SGPR".to_owned(),
        _ => format!("{dwords} SGPRs from a multiple of {}", scalar_alignment(dwords)),
    }
}
