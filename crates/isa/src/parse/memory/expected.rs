//! What may stand in an operand of a memory instruction, for messages.

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

/// The words that may follow the operands of a row, where something else stands.
pub(super) fn words(p: &Parser, row: &Row, encoding: &Encoding) -> String {
    let policy = p.machine.facts().cache_policy;
    let scalar = row.memory.addressing == Some(Addressing::ScalarBase);
    let mut words: Vec<&str> = Vec::new();
    for (field, _) in &encoding.modifiers {
        match field.name {
            "offset" if scalar => {}
            "offset" if row.memory.addressing == Some(Addressing::Lds2) => words.push("offset0"),
            "offset" | "offset1" | "addr64" | "offen" | "idxen" | "tfe" | "gds" | "format" => {
                words.push(field.name);
            }
            _ => {}
        }
    }
    if row.memory.policy {
        match cache_policy::words(policy, scalar) {
            [] => words.extend(policy.words()),
            known => words.extend(known.iter().map(|(word, _)| *word)),
        }
    }
    if row.memory.lds {
        words.push("lds");
    }
    match &words[..] {
        [] => "expected the end of the instruction".to_owned(),
        words => format!("expected {}, or the end of the instruction", words.join(", ")),
    }
}

fn vgprs(dwords: u8, align: u8, files: &str) -> String {
    match dwords {
        1 => format!("one of the {files}"),
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
