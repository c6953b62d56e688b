//! Text of SOP1, SOP2, SOPC, SOPK, SOPP.

use super::Printer;
use crate::Inst;
use crate::role::ImmKind;
use crate::row::Row;

/// Appends the instruction.
pub(super) fn print(p: &mut Printer, row: &Row, inst: &Inst) {
    p.text(row.mnemonic);
    let Some(encoding) = row.encoding(inst.form) else { return };
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        p.text(if n == 0 { " " } else { ", " });
        p.operand(spec, operand);
    }
}

/// Appends a number operand.
pub(super) fn immediate(p: &mut Printer, kind: ImmKind, value: i64) {
    match kind {
        ImmKind::Dec | ImmKind::Label => p.number(value),
        _ => p.hex(value as u64),
    }
}
