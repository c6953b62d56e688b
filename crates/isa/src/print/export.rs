//! Text of exports and of loads from the parameter cache.

use super::Printer;
use crate::Inst;
use crate::export;
use crate::row::Row;

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
    for (field, modifier) in &encoding.modifiers {
        let value = (modifier.get)(&inst.mods);
        // Waits are numbers and always there; the rest are switches.
        if export::is_number(field.name) {
            p.text(" ");
            p.text(field.name);
            p.text(":");
            p.number(value.into());
        } else if value != 0 {
            p.text(" ");
            p.text(field.name);
        }
    }
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
