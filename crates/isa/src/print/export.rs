//! Text of exports and of loads from the parameter cache.

use super::Printer;
use crate::Inst;
use crate::export;
use crate::row::{Encoding, Row};

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    p.text(row.mnemonic);
    let Some(encoding) = row.encoding(inst.form) else { return };
    let mut separator = " ";
    for (spec, operand) in encoding.specs(row).zip(&inst.operands) {
        p.text(separator);
        p.operand(spec, operand);
        // The target has no comma behind it.
        separator = if spec.role == "tgt" { " " } else { ", " };
    }
    for name in ["done", "compr", "vm", "row_en"] {
        if value(encoding, inst, name).is_some_and(|value| value != 0) {
            p.text(" ");
            p.text(name);
        }
    }
    for name in ["wait_vdst", "wait_va_vdst", "wait_vm_vsrc"] {
        if let Some(value) = value(encoding, inst, name) {
            p.text(" ");
            p.text(name);
            p.text(":");
            p.number(value.into());
        }
    }
}

/// The value of a modifier, if the encoding has it.
fn value(encoding: &Encoding, inst: &Inst, name: &str) -> Option<u32> {
    let (_, modifier) = encoding.modifiers.iter().find(|(field, _)| field.name == name)?;
    Some((modifier.get)(&inst.mods))
}

/// An export target.
pub(super) fn target(p: &mut Printer, number: u16) {
    match export::target_name(p.machine, number as u8) {
        Some((name, index)) => {
            p.text(name);
            if let Some(index) = index {
                p.number(index.into());
            }
        }
        None => {
            p.text("invalid_target_");
            p.number(number.into());
        }
    }
}

/// An attribute and its channel.
pub(super) fn attribute(p: &mut Printer, number: u16) {
    p.text("attr");
    p.number(i64::from(number >> 2));
    p.text(".");
    p.text(export::CHANNELS[usize::from(number & 3)]);
}
