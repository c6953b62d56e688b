//! Text of the vector family.

use super::Printer;
use crate::Inst;
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
